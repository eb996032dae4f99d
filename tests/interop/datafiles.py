# SPDX-License-Identifier: Apache-2.0
"""Looks into the data files of a table: are the metrics that a manifest lists those of the rows in
the file, and is the Parquet file written as the spec asks (field ids at every depth)?"""
import math

import pyarrow.parquet

import forms

TRUNCATE_LENGTH = 16  # the default metrics mode, truncate(16)


def field_ids(node, path=""):
    """{path: field id} for all Arrow fields, lists and maps included."""
    ids = {}
    metadata = node.metadata or {}
    if b"PARQUET:field_id" in metadata:
        ids[path] = int(metadata[b"PARQUET:field_id"])
    kind = node.type
    children = []
    if pyarrow.types.is_struct(kind):
        children = [(field, f"{path}.{field.name}") for field in kind]
    elif pyarrow.types.is_map(kind):
        children = [(kind.key_field, f"{path}.key"), (kind.item_field, f"{path}.value")]
    elif pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        children = [(kind.value_field, f"{path}.element")]
    for field, child_path in children:
        ids.update(field_ids(field, child_path))
    return ids


def expected_ids(kind, path=""):
    """The same from an Iceberg type."""
    if isinstance(kind, str):
        return {}
    if kind["type"] == "struct":
        children = [(f["id"], f["name"], f["type"]) for f in kind["fields"]]
    elif kind["type"] == "list":
        children = [(kind["element-id"], "element", kind["element"])]
    else:
        children = [(kind["key-id"], "key", kind["key"]),
                    (kind["value-id"], "value", kind["value"])]
    ids = {}
    for number, name, child in children:
        here = f"{path}.{name}" if path else name
        ids[here] = number
        ids.update(expected_ids(child, here))
    return ids


def check_layout(path, schemas):
    """Every column carries its field id, and the ids are those of one of the table's schemas."""
    arrow = pyarrow.parquet.read_schema(path)
    ids = {}
    for field in arrow:
        ids.update(field_ids(field, field.name))
    known = [expected_ids(schema) for schema in schemas]
    assert any(ids == expected for expected in known), f"{path} has the field ids {ids}"


def columns(path, schemas):
    """{field id: (type, canonical values)} of the top-level columns of primitive types."""
    kinds = {f["id"]: f["type"] for schema in schemas for f in schema["fields"]}
    table = pyarrow.parquet.read_table(path)
    found = {}
    for field in table.schema:
        number = int((field.metadata or {})[b"PARQUET:field_id"])
        if not isinstance(kinds[number], str):
            continue
        kind = kinds[number]
        if kind.startswith("decimal"):  # of the file: a later schema may have widened it
            kind = f"decimal({field.type.precision}, {field.type.scale})"
        values = [forms.canonical(kind, value) for value in table.column(field.name).to_pylist()]
        found[number] = (kind, values)
    return found


def check_bound(kind, name, bound, extreme):
    """A bound equals the extreme value, or for texts and bytes is its rightly rounded prefix."""
    got = forms.canonical(kind, bound)
    if kind == "string" and len(extreme) > TRUNCATE_LENGTH:
        prefix = extreme[:TRUNCATE_LENGTH]
        right = got == prefix if name == "lower" else got > extreme and len(got) <= TRUNCATE_LENGTH
    elif kind == "binary" and len(extreme) > 2 * TRUNCATE_LENGTH:
        prefix = extreme[: 2 * TRUNCATE_LENGTH]
        right = got == prefix if name == "lower" else got > extreme
    elif kind in ("float", "double"):
        right = float(got) == float(extreme)
    else:
        right = got == extreme
    assert right, f"the {name} bound of a {kind} is {bound!r}, the {name} value {extreme!r}"


def check_metrics(path, metrics, schemas):
    """`metrics`: {field id: {value_count, null_count, nan_count, lower, upper}} of one file."""
    for number, (kind, values) in columns(path, schemas).items():
        listed = metrics.get(str(number))
        assert listed, f"{path} has no metrics of field {number}"
        nulls = values.count(None)
        assert listed["value_count"] == len(values), f"field {number}: value_count {listed}"
        assert listed["null_count"] == nulls, f"field {number}: {nulls} nulls, {listed}"
        present = [value for value in values if value is not None]
        if kind in ("float", "double"):
            nans = present.count("NaN")
            assert listed.get("nan_count") == nans, f"field {number}: {nans} NaNs, {listed}"
            present = [value for value in present if not math.isnan(float(value))]
        if not present:
            assert "lower" not in listed and "upper" not in listed, f"field {number}: {listed}"
            continue
        present.sort(key=lambda value, kind=kind: forms.sort_key(kind, value))
        for name, extreme in (("lower", present[0]), ("upper", present[-1])):
            assert name in listed, f"{path}: field {number} ({kind}) has no {name} bound"
            check_bound(kind, name, listed[name], extreme)
