/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/cli.h"

static const char *const general[] = {
    "calve: Apache Iceberg tables from the command line\n"
    "\n"
    "  calve [OPTION…] sql ['STATEMENT; …']   run SQL (no text: standard input or prompt)\n"
    "  calve [OPTION…] plan TABLE|METADATA    which files a scan would open, and why\n"
    "  calve [OPTION…] describe TABLE         columns, partitioning, sort order, where it lies\n"
    "  calve [OPTION…] ls [NAMESPACE]         namespaces, and the tables of a namespace\n"
    "  calve [OPTION…] cache [clear [TABLE]]  what the planning cache holds; clears it\n"
    "  calve help [COMMAND]                   this text, or more about a command\n"
    "\n"
    "Where the tables are\n"
    "  -w, --warehouse DIR     a folder with a catalog (calve.db) in it; made on first use\n"
    "  -c, --catalog NAME      a catalog of .pyiceberg.yaml or PYICEBERG_CATALOG__…\n"
    "                          (with neither: $CALVE_WAREHOUSE, else the configured default)\n"
    "      --map-prefix OLD=NEW  paths in the metadata that begin with OLD are now at NEW\n"
    "      --allow-root DIR    metadata may also name files below DIR\n"
    "      --read-only         refuse every statement that changes something\n"
    "      --dry-run           nothing is changed; statements print what they would change\n"
    "\n"
    "What comes out\n"
    "      --format FORMAT     table (default), csv or json\n"
    "      --json              the same as --format json\n"
    "  -q, --quiet             rows and errors only\n"
    "\n"
    "How it runs\n"
    "      --threads N         (default: one per core)\n"
    "      --memory SIZE       limit of the query engine, such as 512MB\n"
    "      --temp-dir DIR      where rows spill when memory is short (default: /tmp)\n"
    "      --cache DIR         remember in DIR what manifests say: plans of large tables become\n"
    "                          many times faster (default: $CALVE_PLAN_CACHE, else no cache)\n"
    "      --cache-size SIZE   at most that much of it is kept (default: 2GiB)\n"
    "  -h, --help   -V, --version\n"
    "\n"
    "Exit codes: 0 done, 1 a statement failed, 2 wrong command line, 3 somebody else committed\n"
    "first, 4 it is not known whether the commit happened, 5 a file of a table is damaged or\n"
    "missing, or the storage failed or gave no permission, 6 out of memory, 128 + N ended by\n"
    "signal N: 130 by Ctrl-C, 143 by SIGTERM.\n",
};

static const char *const sql[] = {
    "calve sql ['STATEMENT; …'] [-f FILE]\n"
    "\n"
    "Runs SQL statements, one after another, and stops at the first that fails. Queries have all\n"
    "that DuckDB has; CREATE TABLE, ALTER TABLE and INSERT are those of Spark with Iceberg.\n"
    "Without text or -f, statements come from standard input; on a terminal there is a prompt\n"
    "with history and completion (Tab), where a statement ends with a semicolon.\n"
    "\n"
    "  calve -w /data sql \"CREATE NAMESPACE db;\n"
    "    CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) PARTITIONED BY (days(ts));\n"
    "    INSERT INTO db.t SELECT * FROM read_csv('rows.csv')\"\n"
    "  calve -w /data --format csv sql 'SELECT * FROM db.t WHERE ts > now() - INTERVAL 1 DAY'\n"
    "  calve -w /data sql 'FROM db.t FOR VERSION AS OF 123; FROM db.t.snapshots'\n"
    "\n"
    "Metadata tables: db.t.snapshots, .history, .refs, .manifests, .files, .partitions.\n",
};

static const char *const plan[] = {
    "calve plan TABLE|METADATA [--where CONDITION] [--limit ROWS]\n"
    "           [--snapshot ID|REF | --ref NAME | --at TIME]\n"
    "           [--from-snapshot ID|TAG] [--to-snapshot ID|REF]\n"
    "           [--count | --explain | --groups | --why PATH|PARTITION]\n"
    "\n"
    "Lists the data files that a scan would open. METADATA is a metadata.json file or a table's\n"
    "folder: no catalog is needed, and files outside the table's location are refused unless\n"
    "--allow-root names their folder.\n"
    "\n"
    "  --where CONDITION   SQL on columns: \"ts >= DATE '2026-03-01' AND id IN (1, 2)\"\n"
    "                      (given twice: both must hold)\n"
    "  --snapshot ID|REF   a snapshot id, a branch or a tag (default: the current snapshot)\n"
    "  --ref NAME          a branch or a tag, also one whose name is a number\n"
    "  --at TIME           what was current then: '2026-03-01 12:00:00+01:00', UTC without offset\n"
    "  --from-snapshot ID|TAG, --to-snapshot ID|REF\n"
    "                      only files that appends added after the one, up to the other\n"
    "  --limit ROWS        files enough for so many rows\n"
    "  --count             the number of files alone\n"
    "  --explain           per partition spec: what was skipped, and by what\n"
    "  --groups            the files cut and packed into groups of about equal work\n"
    "  --why PATH          the decision about one file, and the bounds that made it; or about the\n"
    "                      files of a partition: --why ts_month=2026-03\n",
};

static const char *const describe[] = {
    "calve describe TABLE\n"
    "\n"
    "Columns with types and comments; partitioning, sort order, location, version, snapshot.\n",
};

static const char *const ls[] = {
    "calve ls [NAMESPACE]\n"
    "\n"
    "Lists the namespaces of the catalog, or the tables of a namespace.\n",
};

static const char *const cache[] = {
    "calve cache [--cache DIR]\n"
    "calve cache [--cache DIR] clear [TABLE]\n"
    "\n"
    "Shows what the planning cache in DIR (default: $CALVE_PLAN_CACHE) holds of each table, or\n"
    "drops it: all of it, or what is of one TABLE, named by its uuid, its name in the catalog,\n"
    "its metadata file or its folder. Queries and plans are the same with and without a cache;\n"
    "one that is damaged is made anew; clearing it costs nothing but the time to fill it again.\n",
};

bool cli_print_help(FILE *out, const char *command) {
  static const struct {
    const char *name;
    const char *const *text;
  } commands[] = {
      {"sql", sql}, {"plan", plan}, {"describe", describe}, {"ls", ls}, {"cache", cache}};
  for (size_t i = 0; command && i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(command, commands[i].name) != 0) continue;
    fputs(commands[i].text[0], out);
    return true;
  }
  if (command && strcmp(command, "help") != 0) return false;
  fputs(general[0], out);
  return true;
}
