#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are cut, damaged, forged or somebody else's: each read gives an error that names the
file and says what was expected, with exit code 5, whatever became of the file, and never an answer
that is wrong. When the file is whole again, so is the table."""
import base64
import glob
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import zlib

from faults import CALVE, Report, Warehouse, in_folder

CUTS = 24
QUERY = "SELECT id, s FROM db.t ORDER BY id"
ROWS = "id,s\n" + "".join(f"{i},row {i}\n" for i in range(1, 7))


class Table:
    """A table of three snapshots, with its files by kind."""

    def __init__(self, folder, report, properties=""):
        self.report = report
        os.makedirs(folder)
        self.w = Warehouse(folder)
        self.w.must(f"CREATE NAMESPACE db; CREATE TABLE db.t (id BIGINT, s STRING) "
                    f"PARTITIONED BY (bucket(2, id)) {properties}; "
                    "INSERT INTO db.t VALUES (1, 'row 1'), (2, 'row 2'); "
                    "INSERT INTO db.t VALUES (3, 'row 3'), (4, 'row 4'); "
                    "INSERT INTO db.t VALUES (5, 'row 5'), (6, 'row 6')")
        self.metadata = self.w.pointer().removeprefix("file://")
        with self.opened() as file:
            self.json = json.load(file)
        self.list = self.json["snapshots"][-1]["manifest-list"].removeprefix("file://")
        self.manifest = sorted(glob.glob(os.path.join(self.w.table_folder(), "metadata/*-m0.avro")),
                               key=os.path.getmtime)[-1]
        self.data = sorted(glob.glob(os.path.join(self.w.table_folder(), "data/*/*.parquet")))[0]

    def opened(self):
        if self.metadata.endswith(".gz.metadata.json"):
            return gzip.open(self.metadata, "rt", encoding="utf-8")
        return open(self.metadata, encoding="utf-8")

    def plan(self, *options, path=None):
        """The quick way: no engine is started."""
        done = subprocess.run([CALVE, "plan", path or self.metadata, *options],
                              capture_output=True, text=True, timeout=60, check=False,
                              errors="backslashreplace",
                              env=self.w.environment())
        return done.returncode, done.stdout, done.stderr

    def select(self):
        return self.w.run(QUERY)

    def with_bytes(self, path, content, body):
        """Runs the body while the file has other bytes; then it has its own again."""
        with open(path, "rb") as file:
            whole = file.read()
        with open(path, "wb") as file:
            file.write(content(whole) if callable(content) else content)
        try:
            return body()
        finally:
            with open(path, "wb") as file:
                file.write(whole)

    def refused(self, name, path, content, *words, read=None, codes=(5,)):
        """With these bytes reading fails with one of the codes, and the error has all words."""
        code, out, err = self.with_bytes(path, content, read or self.plan)
        words = words or (os.path.basename(path),)
        return self.report.check(
            code in codes and err.startswith("calve: ") and err.count("\n") == 1
            and all(re.search(word, err) for word in words),
            name, f"exit code {code}, expected {codes} and {words}: {out[:200]}{err}")

    def whole(self, name):
        code, out, err = self.select()
        self.report.check((code, out) == (0, ROWS), f"{name}: afterwards the table is whole",
                          f"exit code {code}: {out}{err}")


def grid(size, count=CUTS):
    return sorted({size * i // count for i in range(count)} | {1, size - 1})


def slurp(path):
    with open(path, "rb") as file:
        return file.read()


def shown(path, content):
    """The damaged bytes, for a replay: names and times in them are others in every run."""
    return base64.b64encode(zlib.compress(content(slurp(path)), 9)).decode()


def cuts(table):
    """Metadata, lists and manifests end too early."""
    for kind, path in (("metadata", table.metadata), ("manifest list", table.list),
                       ("manifest", table.manifest)):
        for at in grid(os.path.getsize(path)):
            table.refused(f"{kind} cut at byte {at}", path, lambda whole, at=at: whole[:at])
    name = os.path.basename(table.data)
    for at in grid(os.path.getsize(table.data), 6):
        table.refused(f"data file cut at byte {at}", table.data, lambda whole, at=at: whole[:at],
                      name, read=table.select)
    table.whole("cuts")


def damage(table):
    """One byte is another one: an error that names the file, or what the byte means; no crash."""
    for kind, path in (("metadata", table.metadata), ("manifest list", table.list),
                       ("manifest", table.manifest)):
        for at in grid(os.path.getsize(path), 40):
            def other(whole, at=at):
                return whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:]
            code, _, err = table.with_bytes(path, other, table.plan)
            told = {"metadata": "the table's metadata names it as manifest list",
                    "manifest list": "is of partition spec"}.get(kind, "no other way") in err
            table.report.check(code == 0 or (code in (1, 5) and err.startswith("calve: ")
                                             and (told or os.path.basename(path) in err)),
                               f"{kind}: byte {at} is damaged",
                               f"exit code {code}: {err}the file: {shown(path, other)}")
    table.whole("damage")


def varint(data, at):
    """Avro's long, and where it ends."""
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return number >> 1 ^ -(number & 1), at


def packed(number):
    number <<= 1
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def with_records(old, new):
    """Makes of an Avro file the same file with other text in its records."""
    def other(whole):
        sync = whole[-16:]
        at = whole.index(sync) + 16
        out = whole[:at]
        while at < len(whole):
            count, at = varint(whole, at)
            size, at = varint(whole, at)
            records = zlib.decompress(whole[at:at + size], -15).replace(old, new)
            deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
            block = deflate.compress(records) + deflate.flush()
            out += packed(count) + packed(len(block)) + block + sync
            at += size + 16
        return out
    return other


def told_by(table):
    """A path that can't be opened is no fault of the file that it would be: the one that tells the
    path is named too."""
    name = os.path.basename(table.manifest).encode()
    folder = table.w.table_folder().encode()
    words = re.escape(os.path.basename(table.list)),
    elsewhere = b"/etc" + b"x" * (len(folder) - 4)
    for what, old, new in (
            ("a file that is not there", name, b"x" + name[1:]),
            ("a place outside of the table", folder, elsewhere),
            ("a path with ..", b"/metadata/", b"/x/../../x"),
            ("a scheme that nobody knows", b"file://", b"xyzw://"),
            ("a name that is no UTF-8", name, b"\xff" + name[1:]),
            ("a path of one letter", b"file://" + folder, b"x" * (len(folder) + 7))):
        for way in (QUERY, "FROM db.t.files", "INSERT OVERWRITE db.t SELECT 1, 'x'", None):
            read = (lambda way=way: table.w.run(way)) if way else table.plan
            table.refused(f"a manifest list names {what}: {way or 'plan'}", table.list,
                          with_records(old, new), *words, read=read, codes=(1, 5))
    name = os.path.basename(table.data).encode()
    manifest = next(path for path in glob.glob(table.w.table_folder() + "/metadata/*-m0.avro")
                    if with_records(name, b"")(slurp(path)) != with_records(b"", b"")(slurp(path)))
    for what, old, new in (("a file that is not there", name, b"x" + name[1:]),
                           ("a name that is no UTF-8", name, b"\xff" + name[1:]),
                           ("a name with a zero byte", name, b"\0" + name[1:]),
                           ("a scheme that nobody knows", b"file://", b"xyzw://")):
        table.refused(f"a manifest names {what}", manifest, with_records(old, new), r"\bdb\.t\b",
                      read=table.select, codes=(1, 5))
    table.whole("told by")


def avro(table):
    """Avro files that lie."""
    for kind, path in (("manifest list", table.list), ("manifest", table.manifest)):
        with open(path, "rb") as file:
            sync = file.read()[-16:]

        def count(whole, number, sync=sync):
            at = whole.index(sync) + 16  # the block's count, one byte for few records
            return whole[:at] + number + whole[at + 1:]

        table.refused(f"{kind}: the sync marker behind the block is another", path,
                      lambda whole: whole[:-1] + bytes([whole[-1] ^ 1]), "sync marker", "block")
        table.refused(f"{kind}: an unknown codec", path,
                      lambda whole: whole.replace(b"deflate", b"deflatx"), "deflatx")
        table.refused(f"{kind}: a codec of Avro that is not supported", path,
                      lambda whole: whole.replace(b"\x0edeflate", b"\x0abzip2"), "bzip2",
                      codes=(1,))
        table.refused(f"{kind}: a block claims more records than it has", path,
                      lambda whole: count(whole, b"\x7e"))
        table.refused(f"{kind}: a block claims fewer records than it has", path,
                      lambda whole: count(whole, b"\x00"))
        table.refused(f"{kind}: a block claims 2^62 records", path,
                      lambda whole: count(whole, b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"))
        table.refused(f"{kind}: a file of another kind", path, b"PAR1" + b"x" * 2000, "Obj")
        table.refused(f"{kind}: no bytes", path, b"")
        table.refused(f"{kind}: a schema that is none", path,
                      lambda whole: whole.replace(b'"type":"record"', b'"type":"rekord"'))
    table.whole("avro")


def damaged_pages(table):
    """The footer is whole, the pages are not: whatever reads them tells the file and the column."""
    words = re.escape(table.data), "damaged in column (id|s): ."

    def other(whole):
        return whole[:4] + b"\xff" * (len(whole) // 4) + whole[len(whole) // 4 + 4:]

    table.w.must("CREATE TABLE db.other (id BIGINT, s STRING); "
                 "INSERT INTO db.other VALUES (1, 'one')")
    for statement in (QUERY, "INSERT INTO db.other SELECT * FROM db.t",
                      "INSERT OVERWRITE db.other SELECT * FROM db.t",
                      f"INSERT INTO db.other SELECT id, s FROM '{table.data}'",
                      "CREATE TABLE db.third AS SELECT * FROM db.t",
                      f"COPY (SELECT * FROM '{table.data}') TO '{table.w.home}/out.csv'"):
        before = table.w.files()
        table.refused(f"data file: damaged pages: {statement}", table.data, other, *words,
                      read=lambda statement=statement: table.w.run(statement))
        table.report.check(table.w.files() == before, f"{statement}: no file is left or gone",
                           table.w.files() ^ before)
    table.report.check(table.w.ids("other") == [1], "damaged pages: the target is as it was")
    table.w.must("DROP TABLE db.other PURGE")


def parquet(table):
    name = re.escape(os.path.basename(table.data))
    for what, content in {
        "garbage": b"garbage " * 300,
        "empty": b"",
        "a footer that is longer than the file": lambda b: b[:-8] + b"\xff\xff\xff\x7fPAR1",
        "a footer of no bytes": lambda b: b[:-8] + b"\0\0\0\0PAR1",
        "a damaged footer": lambda b: b[:-60] + b"\xff" * 52 + b[-8:],
    }.items():
        table.refused(f"data file: {what}", table.data, content, name, read=table.select)
    damaged_pages(table)
    table.whole("parquet")


def replaced(table):
    """Nothing, a folder or a pipe where a file was. What the user named may be a mistake of his."""
    for kind, path in (("metadata", table.metadata), ("manifest list", table.list),
                       ("manifest", table.manifest), ("data file", table.data)):
        os.rename(path, path + ".away")
        for what, make, unmake in (("missing", None, None), ("a folder", os.mkdir, os.rmdir),
                                   ("a pipe", os.mkfifo, os.unlink)):
            if make:
                make(path)
            code, _, err = table.select()
            table.report.check(code == 5 and os.path.basename(path) in err,
                               f"{kind}: {what}", f"exit code {code}: {err}")
            code, _, err = table.plan("--count")
            expected = 0 if path == table.data else 5
            if path == table.metadata and not make:
                expected = 1
            table.report.check(code == expected, f"{kind}: {what}: plan METADATA",
                               f"exit code {code}: {err}")
            if unmake:
                unmake(path)
        os.rename(path + ".away", path)
    table.whole("replaced")


def forged(table):
    """Metadata that is good JSON, and wrong."""
    def other(**changes):
        return json.dumps({**table.json, **changes}).encode()

    def nested(depth, mark):
        text = '{"type":"struct","fields":[{"id":1,"name":"a","required":false,"type":' * depth
        whole = json.dumps({**table.json, "schemas": [mark]})
        return whole.replace(json.dumps(mark), text + '"int"' + "}]}" * depth).encode()

    spec = {**table.json["partition-specs"][0], "spec-id": 5}
    file = os.path.basename(table.metadata)
    # A manifest's own header may know the spec: here it does not.
    table.with_bytes(
        table.manifest, lambda whole: whole.replace(b"\x1cpartition-spec", b"\x1cpartition-spek"),
        lambda: table.refused("a manifest of an unknown spec", table.metadata,
                              other(**{"partition-specs": [spec], "default-spec-id": 5}),
                              os.path.basename(table.manifest), "spec 0"))
    table.refused("a default spec that is not there", table.metadata,
                  other(**{"default-spec-id": 9}), file, "default-spec-id", "9")
    table.refused("a current schema that is not there", table.metadata,
                  other(**{"current-schema-id": 9}), file, "current-schema-id", "9")
    table.refused("a current snapshot that is not there", table.metadata,
                  other(**{"current-snapshot-id": 77}), file, "current-snapshot-id", "77")
    for depth in (70, 1000, 200_000):
        table.refused(f"a schema of depth {depth}", table.metadata, nested(depth, "@"), file,
                      "deep")
    table.refused("JSON of depth 200000", table.metadata, b"[" * 200_000, file)
    fields = table.json["schemas"][0]["fields"]

    def schema(**changes):
        wrong = [fields[0], {**fields[1], **changes}]
        return other(schemas=[{**table.json["schemas"][0], "fields": wrong}])

    for number in (2**31, 2**53 + 1, 2**63, 10**30):
        table.refused(f"a field id of {number}", table.metadata, schema(id=number), file, "id")
    table.refused("a field id that is a fraction", table.metadata, schema(id=1.5), file, "id")
    table.refused("a NUL in a column's name", table.metadata, schema(name="a\0b"), file, "NUL",
                  codes=(1, 5))
    table.refused("a type from the future", table.metadata, schema(type="complex128"), file,
                  "complex128", codes=(1, 5))
    table.whole("forged")


def large_ids(table):
    """Snapshot ids beyond 2^53 are exact."""
    snapshot = {**table.json["snapshots"][-1]}
    files = table.plan("--count")[1]
    for number in (2**53 + 1, 2**63 - 1):
        snapshot["snapshot-id"] = number
        snapshot.pop("parent-snapshot-id", None)
        text = json.dumps({**table.json, "snapshots": [snapshot], "current-snapshot-id": number,
                           "snapshot-log": [], "refs": {}}).encode()
        code, out, err = table.with_bytes(
            table.metadata, text, lambda: table.w.run("SELECT snapshot_id FROM db.t.snapshots"))
        table.report.check((code, out) == (0, f"snapshot_id\n{number}\n"),
                           f"snapshot id {number} is exact", f"exit code {code}: {out}{err}")
        code, out, err = table.with_bytes(
            table.metadata, text, lambda: table.plan("--count", "--snapshot", str(number)))
        table.report.check((code, out) == (0, files), f"snapshot {number} is planned",
                           f"exit code {code}: {out}{err}")
    table.whole("large ids")


def strangers(table, folder):
    """A table that somebody gave us names files that are none of its business."""
    secret = os.path.join(folder, "secret")
    os.makedirs(secret)
    outside = shutil.copy(table.list, os.path.join(secret, "list.avro"))
    copy = os.path.join(folder, "copy")
    shutil.copytree(table.w.table_folder(), copy)
    path = os.path.join(copy, "metadata", os.path.basename(table.metadata))
    link = os.path.join(copy, "metadata", "link.avro")
    os.symlink(outside, link)
    os.symlink(secret, os.path.join(copy, "metadata", "folder"))
    escapes = {
        "a path elsewhere": outside,
        "a path with ..": f"{copy}/metadata/../../secret/list.avro",
        "a link that leads out": link,
        "a link to a folder outside": f"{copy}/metadata/folder/list.avro",
        "another host": f"file://elsewhere{outside}",
        "a secret of the system": "/etc/hostname",
        "a device": "/dev/zero",
    }
    for what, place in escapes.items():
        snapshot = {**table.json["snapshots"][-1], "manifest-list": place}
        text = json.dumps({**table.json, "location": copy, "snapshots": [snapshot],
                           "snapshot-log": [], "refs": {}}).encode()
        with open(path, "wb") as file:
            file.write(text)
        code, out, err = table.plan("--count", path=path)
        table.report.check(code == 1 and not out and re.search(r'--allow-root|"\.\."', err),
                           f"a stranger's table: {what}", f"exit code {code}: {out}{err}")
    snapshot = {**table.json["snapshots"][-1], "manifest-list": outside}
    with open(path, "wb") as file:
        file.write(json.dumps({**table.json, "location": copy, "snapshots": [snapshot],
                               "snapshot-log": [], "refs": {}}).encode())
    code, out, err = table.plan("--count", "--allow-root", secret, "--allow-root",
                                table.w.folder, path=path)
    table.report.check((code, out) == (0, table.plan("--count")[1]),
                       "with the folders allowed it is read", f"exit code {code}: {out}{err}")
    in_catalog(table, folder, outside, escapes)
    table.whole("strangers")


def in_catalog(table, folder, outside, escapes):
    """The same metadata, when somebody has put it into the catalog."""
    w = table.w
    inside = os.path.join(w.table_folder(), "metadata")
    os.symlink(outside, os.path.join(inside, "link.avro"))
    escapes = {**escapes, "a link that leads out": f"{inside}/link.avro",
               "a path with ..": f"{inside}/../../../../secret/list.avro",
               "a file:/// path": "file:///etc/passwd",
               "a relative path": os.path.relpath(table.list, w.home),
               "a relative path with ..": "../../../../../../etc/passwd"}
    del escapes["a link to a folder outside"]

    def named(place):
        snapshot = {**table.json["snapshots"][-1], "manifest-list": place}
        return json.dumps({**table.json, "snapshots": [snapshot], "snapshot-log": [],
                           "refs": {}}).encode()

    for what, place in escapes.items():
        for read, statement in (("SELECT", QUERY), ("INSERT", "INSERT INTO db.t VALUES (9, 'x')"),
                                ("PURGE", "DROP TABLE db.t PURGE")):
            code, out, err = table.with_bytes(table.metadata, named(place),
                                              lambda statement=statement: w.run(statement))
            table.report.check(code == 1 and re.search(r'--allow-root|"\.\."|relative', err),
                               f"in the catalog: {what}: {read}", f"exit code {code}: {out}{err}")
    code, out, err = table.with_bytes(table.metadata, named(outside), lambda: w.run(
        QUERY, "--allow-root", os.path.join(folder, "secret")))
    table.report.check((code, out) == (0, ROWS), "in the catalog: the folder is allowed",
                       f"exit code {code}: {out}{err}")
    os.unlink(f"{inside}/link.avro")
    moved, other = os.path.join(folder, "moved"), os.path.join(folder, "other")
    w.must(f"CREATE TABLE db.m (id BIGINT) LOCATION '{other}'; INSERT INTO db.m VALUES (1); "
           f"ALTER TABLE db.m SET LOCATION '{moved}'; INSERT INTO db.m VALUES (2); "
           f"ALTER TABLE db.m SET TBLPROPERTIES ('write.metadata.path' = '{folder}/metadata'); "
           "INSERT INTO db.m VALUES (3); ALTER TABLE db.m UNSET TBLPROPERTIES "
           "('write.metadata.path'); INSERT INTO db.m VALUES (4)")
    table.report.check(w.ids("m") == [1, 2, 3, 4], "in the catalog: a table that was moved")
    w.must("DROP TABLE db.m PURGE")


def catalogs(table):
    """The catalog's own file."""
    db = os.path.join(table.w.folder, "calve.db")
    for what, content in {
        "text": b"this is no database, but a text of some length\n" * 100,
        "cut in the middle": lambda whole: whole[:len(whole) // 2],
        "damaged": lambda whole: whole[:100] + b"\xff" * 2000 + whole[2100:],
    }.items():
        table.refused(f"catalog file: {what}", db, content, "calve.db", read=table.select)
    os.rename(db, db + ".away")
    os.mkdir(db)
    code, _, err = table.select()
    table.report.check(code in (1, 5) and "calve.db" in err, "catalog file: a folder",
                       f"exit code {code}: {err}")
    os.rmdir(db)
    os.rename(db + ".away", db)
    table.whole("catalogs")


def main(folder):
    report = Report()
    table = Table(os.path.join(folder, "plain"), report)
    for part in (cuts, damage, avro, told_by, parquet, replaced, forged, large_ids, catalogs):
        part(table)
    strangers(table, folder)
    zipped = Table(os.path.join(folder, "gzip"), report,
                   "TBLPROPERTIES ('write.metadata.compression-codec' = 'gzip')")
    report.check(zipped.metadata.endswith(".gz.metadata.json"), "gzip: metadata is compressed")
    cuts(zipped)
    damage(zipped)
    zipped.refused("gzip: a bomb", zipped.metadata, gzip.compress(b"[" + b" " * 50_000_000))
    zipped.refused("gzip: rubbish behind the end", zipped.metadata,
                   lambda whole: whole + b"rubbish", codes=(0, 5), read=zipped.plan)
    return report


in_folder(main).end()
