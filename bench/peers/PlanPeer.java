// SPDX-License-Identifier: Apache-2.0
// Plans the benchmark's scenarios with Iceberg's Java library, warm:
//   PlanPeer METADATA_FILE REPEATS
// One line a scenario: name, milliseconds (best), files, bytes, rows; separated by tabs.
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.IcebergBuild;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.CloseableIterable;

public final class PlanPeer {
  private record Scenario(String name, Expression filter, boolean metrics) {}

  private static Expression between(String from, String to) {
    return Expressions.and(
        Expressions.greaterThanOrEqual("order_ts", from), Expressions.lessThan("order_ts", to));
  }

  private static final Scenario[] SCENARIOS = {
    new Scenario("all tasks", Expressions.alwaysTrue(), false),
    new Scenario("all tasks, all metrics", Expressions.alwaysTrue(), true),
    new Scenario(
        "a day, day half",
        between("2017-05-05T00:00:00+00:00", "2017-05-06T00:00:00+00:00"),
        false),
    new Scenario(
        "a day, month half",
        between("2012-05-05T00:00:00+00:00", "2012-05-06T00:00:00+00:00"),
        false),
    new Scenario(
        "a month and a customer",
        Expressions.and(
            between("2017-05-01T00:00:00+00:00", "2017-06-01T00:00:00+00:00"),
            Expressions.equal("customer_id", 8237L)),
        false),
    new Scenario("a metric of column 6", Expressions.greaterThan("c6", 16777215), false),
    new Scenario("a metric of column 251", Expressions.greaterThan("c251", 16777215), false),
  };

  private static long sink; // what was read must not be optimised away

  private static void readNumbers(Map<Integer, Long> map) {
    if (map != null) for (long value : map.values()) sink += value;
  }

  private static void readBounds(Map<Integer, ByteBuffer> map) {
    if (map != null) for (ByteBuffer value : map.values()) sink += value.get(value.position());
  }

  private static long[] plan(String metadata, Scenario scenario) throws Exception {
    HadoopFileIO io = new HadoopFileIO(new Configuration());
    Table table = new BaseTable(new StaticTableOperations(metadata, io), "t");
    TableScan scan = table.newScan().filter(scenario.filter());
    if (scenario.metrics()) scan = scan.includeColumnStats();
    long files = 0, bytes = 0, rows = 0;
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        files++;
        bytes += task.file().fileSizeInBytes();
        rows += task.file().recordCount();
        sink += task.file().location().length() + task.file().partition().size();
        if (!scenario.metrics()) continue;
        readNumbers(task.file().columnSizes());
        readNumbers(task.file().valueCounts());
        readNumbers(task.file().nullValueCounts());
        readBounds(task.file().lowerBounds());
        readBounds(task.file().upperBounds());
      }
    }
    return new long[] {files, bytes, rows};
  }

  public static void main(String[] args) throws Exception {
    int repeats = Integer.parseInt(args[1]);
    System.err.println("iceberg-core " + IcebergBuild.version());
    Table table =
        new BaseTable(
            new StaticTableOperations(args[0], new HadoopFileIO(new Configuration())), "t");
    for (Scenario scenario : SCENARIOS) {
      if (scenario.name().endsWith("251") && table.schema().findField("c251") == null) continue;
      long best = Long.MAX_VALUE;
      long[] sums = null;
      for (int i = 0; i < repeats + 1; i++) { // the first is for the JIT
        long start = System.nanoTime();
        sums = plan(args[0], scenario);
        if (i > 0) best = Math.min(best, System.nanoTime() - start);
      }
      System.out.printf(
          "%s\t%.2f\t%d\t%d\t%d%n", scenario.name(), best / 1e6, sums[0], sums[1], sums[2]);
    }
    if (sink == 42) System.err.println();
    System.exit(0); // its worker threads stay
  }
}
