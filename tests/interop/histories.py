# SPDX-License-Identifier: Apache-2.0
"""Random tables, rows, changes and predicates from a seed, for peers that take turns.

A change is a commit as agreement.py and ddl.py know it, made from the metadata that the table has
now: most are legal, a few are not, and peers must agree on that too.
"""
import random

import forms
from cases import (Case, add, add_field, among, array, both, compare, either, mapping,
                   remove_field, rename, schema, schema_commit, spec_commit, struct, test)

LEAVES = ["boolean", "int", "long", "float", "double", "decimal(9, 2)", "date", "timestamp",
          "timestamptz", "string", "binary"]
TIMES = {"date": ["year", "month", "day"],
         "timestamp": ["year", "month", "day", "hour"],
         "timestamptz": ["year", "month", "day", "hour"]}
WIDER = {"int": "long", "float": "double", "decimal(9, 2)": "decimal(15, 2)",
         "decimal(15, 2)": "decimal(25, 2)"}


def field_paths(kind, prefix="", repeated=False):
    """(path, field, path of its struct, is it below a list or map) of all fields of structs."""
    if isinstance(kind, str):
        return
    if kind["type"] == "list":
        yield from field_paths(kind["element"], prefix + ".element", True)
    elif kind["type"] == "map":
        yield from field_paths(kind["value"], prefix + ".value", True)
    else:
        for field in kind["fields"]:
            path = f"{prefix}.{field['name']}" if prefix else field["name"]
            yield path, field, prefix, repeated
            yield from field_paths(field["type"], path, repeated)


def struct_at(kind, path):
    for part in path.split(".") if path else []:
        if kind["type"] == "struct":
            kind = next(f["type"] for f in kind["fields"] if f["name"] == part)
        else:
            kind = kind[part]
    return kind


def ids_below(kind):
    return {field["id"] for _, field, _, _ in field_paths(kind)}


def numbered(kind):
    """A type with its own ids, from 1: a new column brings some, though all peers give others."""
    return schema(("x", kind))["fields"][0]["type"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rid = 0
        self.null_lists = True

    def chance(self, percent):
        return self.random.random() * 100 < percent

    # ---- types and values -----------------------------------------------------------------------

    def kind(self, depth):
        shape = self.random.randrange(10) if depth else 0
        if shape < 6:
            return self.random.choice(LEAVES)
        if shape < 8:
            names = self.random.sample("pqrs", self.random.randint(1, 3))
            return struct(*((name, self.kind(depth - 1)) for name in names))
        inner = self.kind(depth - 1)
        return array(inner) if shape == 8 else mapping("string", inner)

    def leaf(self, kind):
        """Few different values, on both sides of zero and of 1970, so that they meet."""
        pick = self.random.randrange
        number = pick(41) - 20
        if kind in ("int", "long"):
            return number
        if kind in ("float", "double"):
            return number / 2
        if kind.startswith("decimal"):
            return f"{'-' if number < 0 else ''}{abs(number) // 4}.{abs(number) % 4 * 25:02d}"
        if kind == "boolean":
            return number > 0
        if kind == "date":
            return str(forms.EPOCH_DAY + forms.datetime.timedelta(days=number * 9))
        if kind.startswith("timestamp"):
            micros = number * 7 * 3_600_000_000 + pick(3) * 1234567
            text = (forms.EPOCH + forms.datetime.timedelta(microseconds=micros)).isoformat(
                timespec="microseconds")
            return text + ("+00:00" if kind == "timestamptz" else "")
        letters = "abc" if kind == "string" else ("ff", "80", "00")
        return "".join(self.random.choice(letters) for _ in range(pick(4)))

    def value(self, kind, required=False):
        is_list = not isinstance(kind, str) and kind["type"] != "struct"
        if not required and self.chance(15):
            return [] if is_list and not self.null_lists else None
        if isinstance(kind, str):
            return self.leaf(kind)
        if kind["type"] == "struct":
            return {f["name"]: self.value(f["type"], f["required"]) for f in kind["fields"]}
        count = self.random.randrange(4)
        if kind["type"] == "list":
            return [self.value(kind["element"]) for _ in range(count)]
        return [[f"k{n}", self.value(kind["value"])] for n in range(count)]

    def rows(self, of_schema, null_lists=True):
        self.null_lists = null_lists  # and maps: PyIceberg writes them as empty ones
        made = []
        for _ in range(self.random.randint(1, 5)):
            self.rid += 1
            made.append({**self.value(of_schema, True), "rid": self.rid})
        return made

    # ---- tables ---------------------------------------------------------------------------------

    def case(self, name, version):
        kinds = [self.kind(2) for _ in range(self.random.randint(2, 4))]
        of_schema = schema(("rid", "long", True), *zip("abcd", kinds))
        partition = []
        if self.chance(70):
            path, field = self.random.choice(self.sources(of_schema))
            transform = self.transform(field["type"])
            suffix = {"i": "", "b": "_bucket", "t": "_trunc"}.get(transform[0], "_" + transform)
            partition = [(path, transform, path + suffix)]
        return Case(name, version, of_schema, partition, [])

    @staticmethod
    def sources(of_schema):
        return [(path, field) for path, field, _, repeated in field_paths(of_schema)
                if not repeated and isinstance(field["type"], str)
                and field["type"] not in ("float", "double")]

    def transform(self, kind):
        choices = ["identity"]
        if kind != "boolean":
            choices.append(f"bucket[{self.random.randint(2, 4)}]")
        if kind in ("int", "long", "string") or kind.startswith("decimal"):
            choices.append(f"truncate[{self.random.randint(1, 3)}]")
        choices += TIMES.get(kind, [])
        return self.random.choice(choices)

    # ---- changes --------------------------------------------------------------------------------

    def change(self, metadata):
        """A commit, or None when what came up makes no sense here."""
        of_schema = next(s for s in metadata["schemas"]
                         if s["schema-id"] == metadata["current-schema-id"])
        makers = [self.add_column] * 4 + [self.drop_column] * 2 + [self.rename_column] * 2 + [
            self.widen, self.move, self.describe, self.identifiers, self.upgrade] + [
            self.add_partition] * 3 + [self.drop_partition] * 2 + [self.replace_partition] * 2
        return self.random.choice(makers)(metadata, of_schema)

    def change_or_order(self, metadata):
        """As `change`; or what only SQL can say."""
        if not self.chance(15):
            return self.change(metadata)
        of_schema = next(s for s in metadata["schemas"]
                         if s["schema-id"] == metadata["current-schema-id"])
        terms = []
        for path, field in self.random.sample(self.sources(of_schema), 1):
            way = self.random.choice(("", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST"))
            terms.append((path, self.transform(field["type"]), way))
        return {"kind": "order", "ops": terms}

    @staticmethod
    def taken(metadata, paths, keep=()):
        """Would a path be the name of a partition field? Engines differ on what that means."""
        names = {f["name"] for spec in metadata["partition-specs"] for f in spec["fields"]
                 if f["source-id"] not in keep}
        return any(path in names for path in paths)

    def add_column(self, metadata, of_schema):
        parent = self.random.choice([""] * 2 + self._structs(of_schema))
        name = self.random.choice("abcdefgh" if not parent else "pqrstu")
        siblings = {f["name"] for f in struct_at(of_schema, parent)["fields"]}
        path = f"{parent}.{name}" if parent else name
        if name in siblings or self.taken(metadata, [path]):
            return None
        return schema_commit(add(name, numbered(self.kind(2)), parent or None))

    @staticmethod
    def _structs(of_schema):
        def visit(kind, path):
            if isinstance(kind, str):
                return
            if kind["type"] == "struct":
                yield path
                for field in kind["fields"]:
                    yield from visit(field["type"], f"{path}.{field['name']}".lstrip("."))
            elif kind["type"] == "list":
                yield from visit(kind["element"], path + ".element")
            else:
                yield from visit(kind["value"], path + ".value")
        return list(visit(of_schema, ""))

    def _column(self, of_schema):
        return self.random.choice(list(field_paths(of_schema)))

    def drop_column(self, metadata, of_schema):
        path, field, parent, _ = self._column(of_schema)
        if path == "rid" or len(struct_at(of_schema, parent)["fields"]) == 1:
            return None
        gone = {field["id"]} | ids_below(field["type"])
        older = [f for spec in metadata["partition-specs"] for f in spec["fields"]]
        if any(f["source-id"] in gone for f in older):
            return None  # test_dropped_sources.py is about these
        return schema_commit({"op": "delete", "name": path})

    def rename_column(self, metadata, of_schema):
        path, field, parent, _ = self._column(of_schema)
        if path == "rid":
            return None
        name = self.random.choice("abcdefgh" if not parent else "pqrstu")
        siblings = {f["name"] for f in struct_at(of_schema, parent)["fields"]}
        new = f"{parent}.{name}" if parent else name
        below = [new] + [each[0] for each in field_paths(field["type"], new)]
        if name in siblings or self.taken(metadata, below):
            return None
        return schema_commit(rename(path, name))

    def widen(self, _metadata, of_schema):
        found = [(path, field["type"]) for path, field, _, _ in field_paths(of_schema)
                 if isinstance(field["type"], str) and field["type"] in WIDER]
        if not found:
            return None
        path, kind = self.random.choice(found)
        return schema_commit({"op": "update_type", "name": path, "type": WIDER[kind]})

    def move(self, _metadata, of_schema):
        path, field, parent, _ = self._column(of_schema)
        others = [f["name"] for f in struct_at(of_schema, parent)["fields"]
                  if f["name"] != field["name"]]
        if not others or self.chance(30):
            return schema_commit({"op": "move_first", "name": path})
        after = self.random.choice(others)
        return schema_commit({"op": "move_after", "name": path,
                              "ref": f"{parent}.{after}" if parent else after})

    def describe(self, _metadata, of_schema):
        path = self._column(of_schema)[0]
        return schema_commit({"op": "update_doc", "name": path,
                              "doc": f"note {self.random.randrange(3)}"})

    @staticmethod
    def identifiers(_metadata, of_schema):
        names = [] if of_schema.get("identifier-field-ids") else ["rid"]
        return schema_commit({"op": "set_identifier_fields", "names": names})

    def upgrade(self, metadata, _of_schema):
        if metadata["format-version"] > 1 or self.chance(50):
            return None
        return {"kind": "properties", "ops": [{"op": "set", "name": "format-version",
                                               "value": "2"}]}

    @staticmethod
    def _fields(metadata):
        return next(s["fields"] for s in metadata["partition-specs"]
                    if s["spec-id"] == metadata["default-spec-id"])

    def _new_field(self, of_schema):
        path, field = self.random.choice(self.sources(of_schema))
        name = f"f{self.random.randrange(9)}" if self.chance(30) else None
        return add_field(path, self.transform(field["type"]), name)

    @staticmethod
    def _kept_in_decimals(of_schema, source, transform):
        kinds = {field["id"]: field["type"] for _, field, _, _ in field_paths(of_schema)}
        return str(kinds[source]).startswith("decimal") and transform[0] in "itv"

    def _second_decimal(self, metadata, of_schema, new):
        """PyIceberg can't read manifests with two partition values of one decimal type, even if one
        is a void's."""
        source = forms.find(of_schema, new["term"]["ref"])["id"]
        return self._kept_in_decimals(of_schema, source, new["term"]["transform"]) and any(
            self._kept_in_decimals(of_schema, f["source-id"], f["transform"])
            for f in self._fields(metadata))

    def add_partition(self, metadata, of_schema):
        new = self._new_field(of_schema)
        return None if self._second_decimal(metadata, of_schema, new) else spec_commit(new)

    def _old_field(self, metadata, of_schema):
        """A field that its name means in SQL as well: not when a column has the name."""
        paths = {path: field["id"] for path, field, _, _ in field_paths(of_schema)}
        fields = [{**f, "is_column": f["name"] in paths} for f in self._fields(metadata)
                  if f["transform"] != "void" and (
                      f["name"] not in paths
                      or f["transform"] == "identity" and paths[f["name"]] == f["source-id"])]
        return self.random.choice(fields) if fields else None

    def drop_partition(self, metadata, of_schema):
        old = self._old_field(metadata, of_schema)
        return spec_commit(self._removal(old)) if old else None

    @staticmethod
    def _removal(field):
        return {**remove_field(field["name"]), "is_column": field["is_column"]}

    def replace_partition(self, metadata, of_schema):
        old, new = self._old_field(metadata, of_schema), self._new_field(of_schema)
        if not old or self._second_decimal(metadata, of_schema, new):
            return None
        return spec_commit(self._removal(old), new)

    # ---- predicates -----------------------------------------------------------------------------

    def predicate(self, of_schema):
        leaves = [(path, field["type"]) for path, field, _, repeated in field_paths(of_schema)
                  if not repeated and isinstance(field["type"], str)]
        chosen = self.random.sample(leaves, min(2, len(leaves)))
        one, other = self.comparison(*chosen[0]), self.comparison(*chosen[-1])
        shape = self.random.randrange(4)
        # Of one column, both could contradict each other, which calve sees and others do not.
        if shape < 2 or len(chosen) < 2:
            return one
        return both(one, other) if shape == 2 else either(one, other)

    def comparison(self, path, kind):
        ops = ["is-null", "not-null", "eq", "in"]
        if kind != "boolean":
            ops += ["lt", "lt-eq", "gt", "gt-eq"]
        if kind == "string":
            ops.append("starts-with")
        op = self.random.choice(ops)
        if op.endswith("null"):
            return test(op, path)
        if op == "in":
            return among(op, path, self.leaf(kind), self.leaf(kind))
        value = self.leaf(kind)
        # Nothing is below an empty text: calve then skips files that others keep.
        return compare("lt-eq" if op == "lt" and value == "" else op, path, value)
