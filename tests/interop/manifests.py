# SPDX-License-Identifier: Apache-2.0
"""Reads manifest lists and manifests with fastavro alone: legal Avro, the header keys and field ids
that the spec asks for, and counts in the list that are those of the manifests."""
import json

import fastavro

import peers

HEADER = {"schema", "partition-spec", "partition-spec-id", "format-version"}


def read(path):
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        header = {key: value.decode() if isinstance(value, bytes) else value
                  for key, value in reader.metadata.items()}
        return header, list(reader), reader.writer_schema


def check_field_ids(schema, where):
    """Every field of a record carries `field-id`, every array its `element-id`."""
    if isinstance(schema, list):
        for branch in schema:
            check_field_ids(branch, where)
    elif isinstance(schema, dict) and schema["type"] == "record":
        for field in schema["fields"]:
            assert "field-id" in field, f"{where}: {field['name']} has no field-id"
            check_field_ids(field["type"], where)
    elif isinstance(schema, dict) and schema["type"] == "array":
        if schema.get("logicalType") != "map":
            assert "element-id" in schema, f"{where}: an array has no element-id"
        check_field_ids(schema["items"], where)


def check_snapshot(metadata, snapshot):
    version = str(metadata["format-version"])
    list_path = peers.plain_path(snapshot["manifest-list"])
    header, manifests, schema = read(list_path)
    assert header.get("format-version", "1") == version, f"{list_path}: {header}"
    if version != "1":
        assert header["snapshot-id"] == str(snapshot["snapshot-id"]), f"{list_path}: {header}"
        number = str(snapshot["sequence-number"])
        assert header["sequence-number"] == number, f"{list_path}: {header}"
    check_field_ids(schema, list_path)
    specs = {spec["spec-id"]: spec for spec in metadata["partition-specs"]}
    for manifest in manifests:
        check_manifest(manifest, specs)


def check_manifest(listed, specs):
    path = peers.plain_path(listed["manifest_path"])
    header, entries, schema = read(path)
    assert HEADER <= set(header), f"{path} lacks {HEADER - set(header)}"
    if header["format-version"] != "1":
        assert header["content"] == "data", f"{path}: {header['content']}"
    spec = specs[listed["partition_spec_id"]]
    assert header["partition-spec-id"] == str(spec["spec-id"]), f"{path}: {header}"
    written = json.loads(header["partition-spec"])
    assert written == spec["fields"], f"{path}: {written}, the table has {spec['fields']}"
    check_field_ids(schema, path)

    def total(status, key):
        chosen = [entry for entry in entries if entry["status"] == status]
        return sum(1 if key == "files" else entry["data_file"]["record_count"] for entry in chosen)

    for status, name in ((1, "added"), (0, "existing"), (2, "deleted")):
        for key in ("files", "rows"):
            count = listed.get(f"{name}_{key}_count")
            if count is None:
                count = listed.get(f"{name}_data_{key}_count")
            assert count == total(status, key), f"{path}: {name}_{key}_count is {count}"


def check(metadata):
    for snapshot in metadata.get("snapshots", []):
        check_snapshot(metadata, snapshot)
