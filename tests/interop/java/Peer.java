/* SPDX-License-Identifier: Apache-2.0 */
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.ExpressionParser;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Iceberg's Java library as a peer of the tests: one JSON request a line on standard input, one
 * JSON answer a line on standard output. Every request has `cmd` and `table`, which is either
 * {"metadata": FILE} or {"uri": JDBC URI, "warehouse": DIR, "catalog": NAME, "name": "db.table"}.
 * An answer is {"ok": …} or {"error": CLASS, "message": TEXT}. Tables makes and changes tables,
 * Rows has the form of rows.
 */
public final class Peer {
  static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // nothing but answers on standard output
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        answer.set("ok", run(JSON.readTree(line)));
      } catch (Throwable e) {
        answer.put("error", e.getClass().getSimpleName());
        answer.put("message", String.valueOf(e.getMessage()));
        if (args.length > 0 && args[0].equals("--trace")) e.printStackTrace();
      }
      out.println(JSON.writeValueAsString(answer));
    }
  }

  private static JsonNode run(JsonNode request) throws Exception {
    JsonNode table = request.get("table");
    switch (request.get("cmd").asText()) {
      case "list":
        return list(table);
      case "create":
        return Tables.create(table, request);
      case "append":
        return Tables.append(Tables.open(table), request);
      case "delete":
        return Tables.delete(Tables.open(table), filter(Tables.open(table), request));
      case "evolve":
        return Tables.evolve(Tables.open(table), request.get("commits"));
      case "metadata":
        return Tables.metadata(Tables.open(table));
      case "snapshots":
        return snapshots(Tables.open(table));
      case "rows":
        return rows(Tables.open(table), request);
      case "plan":
        return plan(Tables.open(table), request);
      case "files":
        return files(Tables.open(table));
      default:
        throw new IllegalArgumentException("unknown command " + request.get("cmd"));
    }
  }

  private static JsonNode list(JsonNode where) {
    ArrayNode names = JSON.createArrayNode();
    for (Namespace namespace : Tables.catalog(where).listNamespaces()) {
      for (TableIdentifier name : Tables.catalog(where).listTables(namespace)) {
        names.add(name.toString());
      }
    }
    return names;
  }

  private static Expression filter(Table table, JsonNode request) {
    JsonNode filter = request.get("filter");
    return filter == null || filter.isNull()
        ? Expressions.alwaysTrue()
        : ExpressionParser.fromJson(filter.toString(), table.schema());
  }

  private static JsonNode snapshots(Table table) throws Exception {
    ArrayNode all = JSON.createArrayNode();
    for (Snapshot snapshot : table.snapshots()) {
      all.add(JSON.readTree(SnapshotParser.toJson(snapshot)));
    }
    return all;
  }

  /** All rows that match `filter` (optional) in `snapshot` (optional), of the columns `select`. */
  private static JsonNode rows(Table table, JsonNode request) throws Exception {
    IcebergGenerics.ScanBuilder scan =
        IcebergGenerics.read(table).where(filter(table, request));
    if (request.hasNonNull("snapshot")) scan = scan.useSnapshot(request.get("snapshot").asLong());
    if (request.hasNonNull("select")) {
      List<String> names = new ArrayList<>();
      request.get("select").forEach(name -> names.add(name.asText()));
      scan = scan.select(names);
    }
    ArrayNode rows = JSON.createArrayNode();
    try (CloseableIterable<Record> records = scan.build()) {
      for (Record record : records) rows.add(Rows.toJson(record.struct(), record));
    }
    return rows;
  }

  /** The files that a scan keeps, sorted by path. */
  private static JsonNode plan(Table table, JsonNode request) throws Exception {
    TableScan scan = table.newScan().filter(filter(table, request));
    if (request.hasNonNull("snapshot")) scan = scan.useSnapshot(request.get("snapshot").asLong());
    List<ObjectNode> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        ObjectNode file = Rows.fileToJson(table, task.file());
        file.put("delete_files", task.deletes().size());
        file.set("residual", JSON.readTree(ExpressionParser.toJson(task.residual())));
        files.add(file);
      }
    }
    return Rows.sortedByPath(files);
  }

  /** All live data files with their metrics, sorted by path. */
  private static JsonNode files(Table table) throws Exception {
    List<ObjectNode> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks =
        table.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : tasks) {
        ObjectNode file = Rows.fileToJson(table, task.file());
        file.set("metrics", Rows.metricsToJson(table, task.file()));
        files.add(file);
      }
    }
    return Rows.sortedByPath(files);
  }

  private Peer() {}
}
