# SPDX-License-Identifier: Apache-2.0
"""The statements that make and change tables, as Spark and calve both understand them."""
import forms


def quoted(path):
    return ".".join(f"`{part}`" for part in path.split(".") if part)


def create(table, case):
    columns = ", ".join(
        f"`{f['name']}` {forms.ddl_type(f['type'])}{' NOT NULL' if f['required'] else ''}"
        for f in case.schema["fields"])
    fields = ", ".join(
        forms.ddl_transform(transform, path) for path, transform, _ in case.partition)
    return (f"CREATE TABLE {table} ({columns}) USING iceberg"
            + (f" PARTITIONED BY ({fields})" if fields else "")
            + f" TBLPROPERTIES ('format-version'='{case.version}')")


def statements(table, commit):
    """One statement for each operation of a commit; a field that is replaced takes one for both."""
    ops = commit["ops"]
    if commit["kind"] == "order":
        terms = ", ".join(forms.ddl_transform(transform, path) + way
                          for path, transform, way in ops)
        return [f"ALTER TABLE {table} WRITE ORDERED BY {terms}"]
    if ops[0]["op"] == "set_identifier_fields":
        names = ", ".join(ops[0]["names"])
        return [f"ALTER TABLE {table} " + (f"SET IDENTIFIER FIELDS {names}" if names else
                                           "DROP IDENTIFIER FIELDS rid")]
    if commit["kind"] == "properties":
        pairs = ", ".join(f"'{op['name']}'='{op['value']}'" for op in ops)
        return [f"ALTER TABLE {table} SET TBLPROPERTIES ({pairs})"]
    if commit["kind"] == "spec" and [op["op"] for op in ops] == ["remove_name", "add"]:
        old, new = ops
        return [f"ALTER TABLE {table} REPLACE PARTITION FIELD {field(old)} WITH "
                + term(new)]
    return [f"ALTER TABLE {table} {clause(op)}" for op in ops]


def field(op):
    """A partition field by its name, which may have dots in it; or by the column that it is."""
    return quoted(op["name"]) if op.get("is_column") else f"`{op['name']}`"


def term(op):
    alias = f" AS {quoted(op['name'])}" if op.get("name") else ""
    return forms.ddl_transform(op["term"]["transform"], op["term"]["ref"]) + alias


def clause(op):
    name = quoted(op.get("name") or "")
    kind = op["op"]
    if kind == "add" and "term" in op:
        return "ADD PARTITION FIELD " + term(op)
    if kind == "add":
        parent = quoted(op.get("parent") or "")
        return f"ADD COLUMN {parent}{'.' if parent else ''}{name} {forms.ddl_type(op['type'])}"
    if kind == "update_type":
        return f"ALTER COLUMN {name} TYPE {forms.ddl_type(op['type'])}"
    if kind == "update_doc":
        return f"ALTER COLUMN {name} COMMENT '{op['doc']}'"
    if kind == "move_after":
        return f"ALTER COLUMN {name} AFTER `{op['ref'].split('.')[-1]}`"
    return {"delete": f"DROP COLUMN {name}",
            "rename": f"RENAME COLUMN {name} TO `{op.get('new_name')}`",
            "make_optional": f"ALTER COLUMN {name} DROP NOT NULL",
            "move_first": f"ALTER COLUMN {name} FIRST",
            "remove_name": f"DROP PARTITION FIELD {field(op)}"}[kind]
