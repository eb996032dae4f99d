# SPDX-License-Identifier: Apache-2.0
"""The tables of the interop tests: schemas, rows, evolution, predicates, once for all writers."""
import dataclasses

from forms import among, array, both, compare, either, find, mapping, schema, spec, struct, test


@dataclasses.dataclass
class Case:
    name: str
    version: int
    schema: dict
    partition: list  # (source path, transform, field name)
    steps: list  # ("append", rows) or ("evolve", commits)
    predicates: list = dataclasses.field(default_factory=list)
    # Peers that can't make this table, with the reason.
    not_written_by: dict = dataclasses.field(default_factory=dict)

    @property
    def spec(self):
        return spec(self.schema, *self.partition)


def schema_commit(*ops):
    return {"kind": "schema", "ops": list(ops)}


def spec_commit(*ops):
    return {"kind": "spec", "ops": list(ops)}


def add(name, kind, parent=None):
    op = {"op": "add", "name": name, "type": kind}
    return {**op, "parent": parent} if parent else op


def rename(name, new_name):
    return {"op": "rename", "name": name, "new_name": new_name}


def add_field(path, transform, name=None):
    op = {"op": "add", "term": {"ref": path, "transform": transform}}
    return {**op, "name": name} if name else op


def remove_field(name):
    return {"op": "remove_name", "name": name}


def order(number, timestamp, amount, country, customer):
    return {"order_id": number, "customer_id": customer, "order_ts": timestamp, "amount": amount,
            "country": country}


MARCH = [order(n, f"2026-03-{1 + n % 28:02d}T{n % 24:02d}:15:00.{n:06d}+00:00",
               f"{n * 7}.{n % 100:02d}", ["KR", "DE", None, "BR"][n % 4],
               8237 + n % 5) for n in range(60)]
APRIL = [order(n, f"2026-04-{1 + n % 5:02d}T23:59:59.999999+00:00", f"{n}.50", "KR", n)
         for n in range(100, 130)] + [order(130, None, None, None, None)]

orders = Case(
    "orders", 2,
    schema(("order_id", "long", True), ("customer_id", "long"), ("order_ts", "timestamptz"),
           ("amount", "decimal(18, 2)"), ("country", "string")),
    [("order_ts", "month", "order_ts_month")],
    [("append", MARCH),
     ("evolve", [spec_commit(remove_field("order_ts_month"), add_field("order_ts", "day"))]),
     ("append", APRIL),
     ("evolve", [schema_commit(rename("amount", "total"), add("region", "string")),
                 schema_commit({"op": "update_type", "name": "total", "type": "decimal(20, 2)"}),
                 spec_commit(add_field("customer_id", "bucket[4]"))]),
     ("append", [{"order_id": 131, "customer_id": 8237,
                  "order_ts": "2026-04-30T00:00:00.000000+00:00",
                  "total": "123456789012345678.90", "country": "FR", "region": "EU"}])],
    [compare("gt-eq", "order_ts", "2026-03-10T00:00:00+00:00"),
     both(compare("gt-eq", "order_ts", "2026-03-10T00:00:00+00:00"),
          compare("lt", "order_ts", "2026-03-11T00:00:00+00:00")),
     both(compare("gt-eq", "order_ts", "2026-04-02T00:00:00+00:00"),
          compare("lt", "order_ts", "2026-04-03T00:00:00+00:00")),
     compare("lt", "order_ts", "2026-03-01T00:00:00+00:00"),
     compare("eq", "order_ts", "2026-04-03T23:59:59.999999+00:00"),
     test("is-null", "order_ts"), test("not-null", "order_ts"),
     compare("eq", "customer_id", 8237), among("in", "customer_id", 8238, 8241, 101),
     compare("gt", "customer_id", 9000), test("is-null", "customer_id"),
     compare("eq", "country", "KR"), among("in", "country", "DE", "FR"),
     test("is-null", "country"), compare("starts-with", "country", "K"),
     compare("lt", "order_id", 10), compare("gt-eq", "order_id", 130),
     both(compare("eq", "country", "KR"), compare("gt", "order_id", 50)),
     either(compare("eq", "order_id", 3), compare("gt", "order_ts", "2026-04-05T00:00:00+00:00")),
     either(test("is-null", "order_ts"), compare("lt", "order_ts", "2026-03-02T00:00:00+00:00"))])

nested = Case(
    "nested", 2,
    schema(("id", "long", True),
           ("address", struct(("city", "string"), ("zip", "int"),
                              ("geo", struct(("lat", "double"), ("lon", "double"))))),
           ("points", array(struct(("x", "int"), ("y", "int")))),
           ("props", mapping("string", struct(("a", "long"), ("b", "string")))),
           ("tags", array("string"))),
    [("address.city", "identity", "address.city")],
    [("append", [
        {"id": 1, "address": {"city": "Seoul", "zip": 4524, "geo": {"lat": 37.5, "lon": 127.0}},
         "points": [{"x": 1, "y": 2}, {"x": 3, "y": None}], "props": [["k", {"a": 1, "b": "one"}]],
         "tags": ["a", None, "b"]},
        {"id": 2, "address": {"city": "Köln", "zip": None, "geo": None},
         "points": [{"x": -1, "y": -2}], "props": [["k", {"a": None, "b": "z"}], ["l", None]],
         "tags": ["x"]}]),
     ("evolve", [
         schema_commit(rename("points.element.x", "swap")),
         schema_commit(rename("points.element.y", "x")),
         schema_commit(rename("points.element.swap", "y")),
         schema_commit(rename("address.zip", "postcode"), add("country", "string", "address"),
                       {"op": "delete", "name": "props.value.b"}),
         schema_commit(add("b", "string", "props.value"),
                       {"op": "update_type", "name": "points.element.x", "type": "long"}),
         schema_commit({"op": "delete", "name": "tags"}),
         schema_commit(add("tags", array("string")))]),
     ("append", [
         {"id": 3, "address": {"city": "Seoul", "postcode": 1, "geo": {"lat": 0.0, "lon": None},
                               "country": "KR"},
          "points": [{"x": 9007199254740993, "y": 5}], "props": [["new", {"a": 2, "b": "fresh"}]],
          "tags": ["fresh"]}])],
    [compare("eq", "address.city", "Seoul"), compare("eq", "id", 2), compare("gt", "id", 1),
     compare("gt", "address.geo.lat", 1.5), test("not-null", "address.geo.lat")])

TYPES = schema(
    ("id", "int", True), ("flag", "boolean"), ("l", "long"), ("f", "float"), ("d", "double"),
    ("dec9", "decimal(9, 2)"), ("dec18", "decimal(18, 4)"), ("dec38", "decimal(38, 10)"),
    ("day", "date"), ("t", "time"), ("ts", "timestamp"), ("tz", "timestamptz"), ("s", "string"),
    ("u", "uuid"), ("bin", "binary"))
TYPE_ROWS = [
    {"id": 1, "flag": True, "l": 9223372036854775807, "f": 0.1, "d": 0.1, "dec9": "9999999.99",
     "dec18": "-99999999999999.9999", "dec38": "1234567890123456789012345678.0123456789",
     "day": "1969-12-31", "t": "23:59:59.999999", "ts": "1969-12-31T23:59:59.999999",
     "tz": "1970-01-01T00:00:00.000000+00:00", "s": "naïve 'quote' \"double\" / % ? * [ 한국 🧊",
     "u": "f79c3e09-677c-4bbd-a479-3f349cb785e7", "bin": "00ff10"},
    {"id": 2, "flag": False, "l": -9223372036854775808, "f": "NaN", "d": "NaN", "dec9": "-0.01",
     "dec18": "0.0000", "dec38": "-0.0000000001", "day": "0001-01-01", "t": "00:00:00.000000",
     "ts": "2262-04-12T00:00:00.000000", "tz": "1900-02-28T12:34:56.000001+00:00", "s": "",
     "u": "00000000-0000-0000-0000-000000000000", "bin": ""},
    {"id": 3},
    {"id": 4, "flag": True, "l": 0, "f": "-Infinity", "d": "Infinity", "dec9": "1.00",
     "dec18": "1.0000", "dec38": "0.0000000000", "day": "2026-02-28", "t": "12:00:00.000000",
     "ts": "2026-03-29T02:30:00.000000", "tz": "2026-03-29T02:30:00.000000+00:00", "s": "a\nb\tc",
     "u": "ffffffff-ffff-ffff-ffff-ffffffffffff", "bin": "ff"}]
TYPE_PREDICATES = [
    compare("eq", "l", 9223372036854775807), compare("lt", "l", 0), compare("gt", "d", 1.0),
    test("is-nan", "f"), both(test("not-null", "d"), test("not-nan", "d")),
    compare("lt-eq", "f", 0.5),
    compare("eq", "dec9", "-0.01"), compare("gt", "dec38", "1.0000000000"),
    compare("lt", "day", "1970-01-01"), compare("gt-eq", "ts", "2026-01-01T00:00:00"),
    compare("lt", "tz", "1950-01-01T00:00:00+00:00"), compare("eq", "s", ""),
    compare("starts-with", "s", "na"), compare("eq", "flag", True), test("is-null", "bin"),
    compare("eq", "u", "f79c3e09-677c-4bbd-a479-3f349cb785e7"), test("is-null", "t")]

types = Case("types", 2, TYPES, [], [("append", TYPE_ROWS), ("append", TYPE_ROWS[:1])],
             TYPE_PREDICATES)


def by_transforms(name, *partition, not_written_by=None):
    steps = [("append", TYPE_ROWS + [{**row, "id": row["id"] + 10} for row in TYPE_ROWS])]
    return Case(name, 2, TYPES, list(partition), steps, TYPE_PREDICATES, not_written_by or {})


by_time = by_transforms(
    "by_time", ("day", "year", "day_year"), ("ts", "hour", "ts_hour"), ("tz", "day", "tz_day"))
by_bucket = by_transforms(
    "by_bucket", ("l", "bucket[7]", "l_bucket"), ("dec18", "bucket[5]", "dec_bucket"),
    ("s", "bucket[16]", "s_bucket"), ("u", "bucket[4]", "u_bucket"),
    ("day", "bucket[3]", "day_bucket"), ("tz", "bucket[9]", "tz_bucket"),
    ("bin", "bucket[6]", "bin_bucket"))
by_truncate = by_transforms(
    "by_truncate", ("id", "truncate[3]", "id_trunc"), ("dec9", "truncate[50]", "dec_trunc"),
    ("s", "truncate[2]", "s_trunc"), ("bin", "truncate[1]", "bin_trunc"),
    not_written_by={"pyiceberg": "it can't truncate binary"})
by_identity = by_transforms(
    "by_identity", ("flag", "identity", "flag"), ("dec18", "identity", "dec18"),
    ("day", "identity", "day"), ("s", "identity", "s"), ("bin", "identity", "bin"))

legacy = Case(
    "legacy", 1,
    schema(("id", "int", True), ("country", "string"), ("n", "float"), ("gone", "string")),
    [("country", "identity", "country")],
    [("append", [{"id": 1, "country": "KR", "n": 0.25, "gone": "old"},
                 {"id": 2, "country": None, "n": 2.5, "gone": "old"}]),
     ("evolve", [spec_commit(remove_field("country"), add_field("id", "bucket[8]")),
                 schema_commit({"op": "update_type", "name": "id", "type": "long"},
                               {"op": "update_type", "name": "n", "type": "double"},
                               {"op": "delete", "name": "gone"})]),
     ("append", [{"id": 3000000000, "country": "DE", "n": 1e300}, {"id": 4, "country": "KR"}]),
     ("evolve", [schema_commit(add("gone", "string"))]),
     ("append", [{"id": 5, "country": "KR", "n": 5.0, "gone": "new"}])],
    [compare("eq", "country", "KR"), compare("eq", "id", 1), compare("gt", "id", 2147483647),
     compare("lt", "n", 1.0), test("is-null", "country"), compare("eq", "gone", "new")])

plain = Case(
    "plain", 1, schema(("id", "long", True), ("name", "string")), [],
    [("append", [{"id": n, "name": f"n{n}"} for n in range(10)]),
     ("append", [{"id": n, "name": None} for n in range(10, 20)])],
    [compare("lt", "id", 5), compare("eq", "name", "n7"), test("not-null", "name")])

third = Case(
    "third", 3,
    schema(("id", "long", True), ("name", "string"), ("at", "timestamp")),
    [("at", "day", "at_day")],
    [("append", [{"id": 1, "name": "a", "at": "2026-03-01T00:00:00"}, {"id": 2}]),
     ("evolve", [schema_commit({**add("level", "int"), "default": 7},
                               {**add("note", "string"), "default": "none"})]),
     ("append", [{"id": 3, "name": "c", "at": "2026-03-02T10:00:00", "level": 1, "note": None}])],
    [compare("eq", "name", "a"), compare("gt", "at", "2026-03-01T12:00:00"),
     compare("eq", "id", 3)],
    not_written_by={"pyiceberg": "it refuses to write version 3",
                    "calve": "SQL has no DEFAULT with a literal for old rows yet"})

third_plain = Case(
    "third_plain", 3,
    schema(("id", "long", True), ("name", "string"), ("at", "timestamptz")),
    [("at", "month", "at_month"), ("id", "bucket[3]", "id_bucket")],
    [("append", [{"id": n, "name": f"a rather long name {n}",
                  "at": f"2026-0{1 + n % 3}-01T00:00:00+00:00"} for n in range(12)]),
     ("evolve", [spec_commit(remove_field("at_month"), add_field("at", "day")),
                 schema_commit(rename("name", "label"), add("note", "string"))]),
     ("append", [{"id": 12, "label": "b", "at": "2026-03-02T10:00:00+00:00", "note": "new"},
                 {"id": 13}])],
    [compare("eq", "id", 3), compare("lt", "at", "2026-02-01T00:00:00+00:00"),
     compare("gt", "at", "2026-03-01T12:00:00+00:00"),
     compare("starts-with", "label", "a rather long na"), test("is-null", "note")],
    not_written_by={"pyiceberg": "it refuses to write version 3"})

ALL = [orders, nested, types, by_time, by_bucket, by_truncate, by_identity, legacy, plain, third,
       third_plain]
