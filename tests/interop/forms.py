# SPDX-License-Identifier: Apache-2.0
"""Types, rows and predicates as the interop tests write them, and the forms that each peer wants.

A row is JSON: structs by name, lists, maps as [[key, value], …], all else as the spec's JSON single
values, with "NaN", "Infinity" and "-Infinity" for floats. A predicate is expression JSON.
"""
import datetime
import decimal
import math
import re
import struct as bits
import uuid

EPOCH = datetime.datetime(1970, 1, 1)
EPOCH_DAY = EPOCH.date()


# ---- schemas ------------------------------------------------------------------------------------

def struct(*fields):
    """Fields are (name, type) or (name, type, required); ids come from `schema`."""
    return {"type": "struct", "fields": [
        {"id": 0, "name": f[0], "required": len(f) > 2 and f[2], "type": f[1]} for f in fields]}


def array(element):
    return {"type": "list", "element-id": 0, "element": element, "element-required": False}


def mapping(key, value):
    return {"type": "map", "key-id": 0, "key": key, "value-id": 0, "value": value,
            "value-required": False}


def schema(*fields):
    """A schema with ids given level by level, as all writers do it."""
    top = struct(*fields)
    top["schema-id"] = 0
    last = 0

    def give(owner, key):
        nonlocal last
        last += 1
        owner[key] = last

    def number(kind):
        if isinstance(kind, str):
            return
        if kind["type"] == "struct":
            for field in kind["fields"]:
                give(field, "id")
            for field in kind["fields"]:
                number(field["type"])
        elif kind["type"] == "list":
            give(kind, "element-id")
            number(kind["element"])
        else:
            give(kind, "key-id")
            give(kind, "value-id")
            number(kind["key"])
            number(kind["value"])

    number(top)
    return top


def find(kind, path):
    """The field at a dotted path of struct fields."""
    name, _, rest = path.partition(".")
    field = next(f for f in kind["fields"] if f["name"] == name)
    return find(field["type"], rest) if rest else field


def struct_fields(kind, prefix=""):
    """(path, field) of all fields outside of lists and maps."""
    for field in kind["fields"]:
        path = prefix + field["name"]
        yield path, field
        if not isinstance(field["type"], str) and field["type"]["type"] == "struct":
            yield from struct_fields(field["type"], path + ".")


def spec(of_schema, *fields):
    """Fields are (source path, transform, name)."""
    return {"spec-id": 0, "fields": [
        {"name": name, "transform": transform, "source-id": find(of_schema, path)["id"],
         "field-id": 1000 + index} for index, (path, transform, name) in enumerate(fields)]}


# ---- values -------------------------------------------------------------------------------------

def canonical(kind, value):
    """One spelling for a value, whichever peer it came from."""
    if value is None:
        return None
    if not isinstance(kind, str):
        if kind["type"] == "struct":
            return {f["name"]: canonical(f["type"], value.get(f["name"])) for f in kind["fields"]}
        if kind["type"] == "list":
            return [canonical(kind["element"], element) for element in value]
        pairs = value.items() if isinstance(value, dict) else value
        return sorted(([canonical(kind["key"], k), canonical(kind["value"], v)] for k, v in pairs),
                      key=repr)
    if kind in ("float", "double"):
        number = float(value)
        if kind == "float" and math.isfinite(number):
            number = bits.unpack("f", bits.pack("f", number))[0]
        return "NaN" if math.isnan(number) else repr(number)
    if kind.startswith("decimal"):
        scale = int(kind.rstrip(")").split(",")[1])
        with decimal.localcontext(decimal.Context(prec=50)):
            return str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-scale)))
    if kind.startswith("timestamp"):
        return canonical_timestamp(value)
    if kind == "time":
        text = str(value)
        return text if "." in text else text + ".000000"
    if kind == "uuid":
        return str(uuid.UUID(bytes=value)) if isinstance(value, bytes) else str(value).lower()
    if kind == "binary" or kind.startswith("fixed"):
        return value.hex() if isinstance(value, bytes) else canonical_bytes(value)
    return str(value) if kind == "date" else value


def canonical_timestamp(value):
    text = value.isoformat() if isinstance(value, datetime.datetime) else value
    text = re.sub(r"(\+00(:?00)?|Z)$", "", text.replace(" ", "T"))
    seconds, _, fraction = text.partition(".")
    return f"{seconds}.{fraction.ljust(6, '0')}"


def canonical_bytes(text):
    """Hex from hex, or from DuckDB's spelling: characters as they are, other bytes as \\xAB."""
    if "\\x" not in text and re.fullmatch(r"(?:[0-9a-fA-F]{2})*", text):
        return text.lower()
    parts = re.findall(r"\\x([0-9A-Fa-f]{2})|(.)", text, flags=re.S)
    return "".join(code.lower() or f"{ord(char):02x}" for code, char in parts)


def canonical_rows(kind, rows):
    return sorted((canonical(kind, row) for row in rows), key=repr)


def python_value(kind, value):
    """The value that pyarrow wants for a row in JSON form."""
    if value is None:
        return None
    if not isinstance(kind, str):
        if kind["type"] == "struct":
            return {f["name"]: python_value(f["type"], value.get(f["name"]))
                    for f in kind["fields"]}
        if kind["type"] == "list":
            return [python_value(kind["element"], element) for element in value]
        return [(python_value(kind["key"], k), python_value(kind["value"], v)) for k, v in value]
    if kind in ("float", "double"):
        return float(value)
    if kind.startswith("decimal"):
        return decimal.Decimal(value)
    if kind == "date":
        return datetime.date.fromisoformat(value)
    if kind == "time":
        return datetime.time.fromisoformat(value)
    if kind.startswith("timestamp"):
        return datetime.datetime.fromisoformat(value)
    if kind == "uuid":
        return uuid.UUID(value).bytes
    if kind == "binary" or kind.startswith("fixed"):
        return bytes.fromhex(value)
    return value


# ---- the model: rows by field id, as the spec defines reading ------------------------------------

def by_id(kind, value):
    """Forgets names: what a data file holds."""
    if value is None or isinstance(kind, str):
        return value if value is None else canonical(kind, value)
    if kind["type"] == "struct":
        return {f["id"]: by_id(f["type"], value.get(f["name"])) for f in kind["fields"]}
    if kind["type"] == "list":
        return [by_id(kind["element"], element) for element in value]
    return [[by_id(kind["key"], k), by_id(kind["value"], v)] for k, v in value]


def by_name(kind, value):
    """What a later schema makes of it: fields by id, and defaults for what was not there."""
    if value is None or isinstance(kind, str):
        return value
    if kind["type"] == "struct":
        return {f["name"]: by_name(f["type"], value[f["id"]]) if f["id"] in value
                else f.get("initial-default") for f in kind["fields"]}
    if kind["type"] == "list":
        return [by_name(kind["element"], element) for element in value]
    return [[by_name(kind["key"], k), by_name(kind["value"], v)] for k, v in value]


# ---- predicates ---------------------------------------------------------------------------------

def compare(op, column, value):
    return {"type": op, "term": column, "value": value}


def among(op, column, *values):
    return {"type": op, "term": column, "values": list(values)}


def test(op, column):
    return {"type": op, "term": column}


def both(left, right):
    return {"type": "and", "left": left, "right": right}


def either(left, right):
    return {"type": "or", "left": left, "right": right}


def sort_key(kind, value):
    """Canonical values in an order: NaN above all numbers; ISO texts and hex sort as they are."""
    if kind in ("float", "double"):
        return (value == "NaN", 0.0 if value == "NaN" else float(value))
    return decimal.Decimal(value) if kind.startswith("decimal") else value


def matches(of_schema, predicate, row):
    """Does a canonical row match, as SQL sees it (a comparison with null never matches)?"""
    op = predicate["type"]
    if op in ("and", "or"):
        sides = [matches(of_schema, predicate[side], row) for side in ("left", "right")]
        return all(sides) if op == "and" else any(sides)
    kind, value = find(of_schema, predicate["term"])["type"], row
    for part in predicate["term"].split("."):
        value = value and value[part]
    if op in ("is-null", "not-null"):
        return (value is None) == (op == "is-null")
    if value is None:
        return False
    if op in ("is-nan", "not-nan"):
        return (value == "NaN") == (op == "is-nan")
    if op == "starts-with":
        return value.startswith(predicate["value"])
    left = sort_key(kind, value)
    if op in ("in", "not-in"):
        found = left in [sort_key(kind, canonical(kind, v)) for v in predicate["values"]]
        return found == (op == "in")
    right = sort_key(kind, canonical(kind, predicate["value"]))
    return {"eq": left == right, "not-eq": left != right, "lt": left < right,
            "lt-eq": left <= right, "gt": left > right, "gt-eq": left >= right}[op]


def columns_of(predicate):
    if "left" in predicate:
        return columns_of(predicate["left"]) | columns_of(predicate["right"])
    return {predicate["term"]}


def operators_of(predicate):
    if "left" in predicate:
        return operators_of(predicate["left"]) | operators_of(predicate["right"])
    return {predicate["type"]}


SQL_OPS = {"eq": "=", "not-eq": "<>", "lt": "<", "lt-eq": "<=", "gt": ">", "gt-eq": ">="}


def sql_literal(kind, value, dialect):
    if kind == "boolean":
        return str(value).lower()
    if kind in ("int", "long") or kind.startswith("decimal"):
        return str(value)
    if kind in ("float", "double"):
        return f"CAST('{value}' AS {'FLOAT' if kind == 'float' else 'DOUBLE'})"
    if kind == "binary" or kind.startswith("fixed"):
        return f"X'{value}'" if dialect == "X" else \
            "'" + re.sub("(..)", r"\\x\1", value) + "'::BLOB"
    text = str(value).replace("'", "''")
    prefix = {"date": "DATE ", "time": "TIME ", "timestamp": "TIMESTAMP ",
              "timestamptz": "TIMESTAMPTZ "}.get(kind, "")
    return f"{prefix}'{text}'" + ("::UUID" if kind == "uuid" else "")


def sql_name(path):
    return ".".join('"' + part.replace('"', '""') + '"' for part in path.split("."))


def sql(of_schema, predicate, dialect=None):
    """The predicate in SQL; bytes as DuckDB has them, or in dialect "X" as X'00FF'."""
    op = predicate["type"]
    if op in ("and", "or"):
        left, right = (sql(of_schema, predicate[side], dialect) for side in ("left", "right"))
        return f"({left} {op.upper()} {right})"
    if op == "not":
        return f"NOT {sql(of_schema, predicate['child'], dialect)}"
    column = predicate["term"]
    kind, name = find(of_schema, column)["type"], sql_name(column)
    if op in ("is-null", "not-null"):
        return f"{name} IS {'NOT ' if op == 'not-null' else ''}NULL"
    if op in ("is-nan", "not-nan"):
        return f"{'NOT ' if op == 'not-nan' else ''}isnan({name})"
    if op in ("in", "not-in"):
        values = ", ".join(sql_literal(kind, value, dialect) for value in predicate["values"])
        return f"{name} {'NOT ' if op == 'not-in' else ''}IN ({values})"
    if op in ("starts-with", "not-starts-with"):
        pattern = sql_literal("string", predicate["value"] + "%", dialect)
        return f"{name} {'NOT ' if op.startswith('not') else ''}LIKE {pattern}"
    return f"{name} {SQL_OPS[op]} {sql_literal(kind, predicate['value'], dialect)}"


def spark_sql(of_schema, predicate):
    """The predicate in Spark's SQL, where names and the two timestamps are spelled other."""
    text = sql(of_schema, predicate, "X")
    text = re.sub(r"\bTIMESTAMP '", "TIMESTAMP_NTZ '", text).replace("TIMESTAMPTZ '", "TIMESTAMP '")
    return text.replace('"', "`")


# ---- DDL ----------------------------------------------------------------------------------------

DDL_NAMES = {"boolean": "BOOLEAN", "int": "INT", "long": "BIGINT", "float": "FLOAT",
             "double": "DOUBLE", "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP_NTZ",
             "timestamptz": "TIMESTAMP", "string": "STRING", "uuid": "UUID", "binary": "BINARY"}


def ddl_type(kind):
    if isinstance(kind, str):
        return DDL_NAMES.get(kind) or kind.upper()
    if kind["type"] == "struct":
        inner = ", ".join(
            f"`{f['name']}`: {ddl_type(f['type'])}{' NOT NULL' if f['required'] else ''}"
            for f in kind["fields"])
        return f"STRUCT<{inner}>"
    if kind["type"] == "list":
        return f"ARRAY<{ddl_type(kind['element'])}>"
    return f"MAP<{ddl_type(kind['key'])}, {ddl_type(kind['value'])}>"


def ddl_transform(transform, column):
    column = ".".join(f"`{part}`" for part in column.split("."))
    if transform == "identity":
        return column
    name, _, width = transform.rstrip("]").partition("[")
    return f"{name}({width}, {column})" if width else f"{name}s({column})"
