/* SPDX-License-Identifier: Apache-2.0 */
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.SortOrderParser;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.UpdatePartitionSpec;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.InternalRecordWrapper;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.expressions.Term;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Opening, making, filling and evolving tables. */
final class Tables {
  private static final Map<String, JdbcCatalog> CATALOGS = new HashMap<>();

  static JdbcCatalog catalog(JsonNode where) {
    String uri = where.get("uri").asText();
    String warehouse = where.get("warehouse").asText();
    String name = where.get("catalog").asText();
    return CATALOGS.computeIfAbsent(
        name + "\n" + uri + "\n" + warehouse,
        key -> {
          JdbcCatalog catalog = new JdbcCatalog();
          catalog.setConf(new Configuration());
          Map<String, String> properties = new HashMap<>();
          properties.put("uri", uri);
          properties.put("warehouse", warehouse);
          properties.put("jdbc.schema-version", "V1");
          catalog.initialize(name, properties);
          return catalog;
        });
  }

  static Table open(JsonNode where) {
    if (where.hasNonNull("metadata")) {
      String file = where.get("metadata").asText();
      HadoopFileIO io = new HadoopFileIO(new Configuration());
      return new BaseTable(new StaticTableOperations(file, io), file);
    }
    return catalog(where).loadTable(TableIdentifier.parse(where.get("name").asText()));
  }

  static JsonNode metadata(Table table) throws Exception {
    return Peer.JSON.readTree(
        TableMetadataParser.toJson(((HasTableOperations) table).operations().current()));
  }

  /** schema, and optionally spec, order, properties: all in their Iceberg JSON forms. */
  static JsonNode create(JsonNode where, JsonNode request) throws Exception {
    TableIdentifier name = TableIdentifier.parse(where.get("name").asText());
    Namespace namespace = name.namespace();
    if (!catalog(where).namespaceExists(namespace)) catalog(where).createNamespace(namespace);

    Schema schema = SchemaParser.fromJson(request.get("schema").toString());
    PartitionSpec spec =
        request.hasNonNull("spec")
            ? PartitionSpecParser.fromJson(schema, request.get("spec").toString())
            : PartitionSpec.unpartitioned();
    SortOrder order =
        request.hasNonNull("order")
            ? SortOrderParser.fromJson(schema, request.get("order").toString())
            : SortOrder.unsorted();
    Map<String, String> properties = new LinkedHashMap<>();
    if (request.hasNonNull("properties")) {
      for (Map.Entry<String, JsonNode> entry : request.get("properties").properties()) {
        properties.put(entry.getKey(), entry.getValue().asText());
      }
    }
    return metadata(
        catalog(where).buildTable(name, schema).withPartitionSpec(spec).withSortOrder(order)
            .withProperties(properties).create());
  }

  /** Appends `rows`, one Parquet file a partition, in one commit; answers the metadata. */
  static JsonNode append(Table table, JsonNode request) throws Exception {
    Schema schema = table.schema();
    PartitionSpec spec = table.spec();
    PartitionKey key = new PartitionKey(spec, schema);
    InternalRecordWrapper wrapper = new InternalRecordWrapper(schema.asStruct());
    Map<PartitionKey, List<Record>> groups = new LinkedHashMap<>();
    for (JsonNode row : request.get("rows")) {
      Record record = Rows.structFromJson(schema.asStruct(), row);
      key.partition(wrapper.wrap(record));
      if (!groups.containsKey(key)) groups.put(key.copy(), new ArrayList<>());
      groups.get(key).add(record);
    }
    AppendFiles append = table.newAppend();
    for (Map.Entry<PartitionKey, List<Record>> group : groups.entrySet()) {
      append.appendFile(write(table, spec, group.getKey(), group.getValue()));
    }
    append.commit();
    return metadata(table);
  }

  private static DataFile write(
      Table table, PartitionSpec spec, PartitionKey key, List<Record> records) throws Exception {
    String name = UUID.randomUUID() + ".parquet";
    String path =
        spec.isUnpartitioned()
            ? table.locationProvider().newDataLocation(name)
            : table.locationProvider().newDataLocation(spec, key, name);
    DataWriter<Record> writer =
        Parquet.writeData(table.io().newOutputFile(path))
            .forTable(table)
            .withSpec(spec)
            .withPartition(spec.isUnpartitioned() ? null : key)
            .createWriterFunc(GenericParquetWriter::create)
            .build();
    try (writer) {
      for (Record record : records) writer.write(record);
    }
    return writer.toDataFile();
  }

  /** Deletes files whose rows all match; Java refuses where rows would have to be rewritten. */
  static JsonNode delete(Table table, Expression filter) throws Exception {
    table.newDelete().deleteFromRowFilter(filter).commit();
    return metadata(table);
  }

  /** commits: [{kind: schema|spec|properties, ops: [{op, …}]}], ops as in the vectors' README. */
  static JsonNode evolve(Table table, JsonNode commits) throws Exception {
    for (JsonNode commit : commits) {
      JsonNode ops = commit.get("ops");
      switch (commit.get("kind").asText()) {
        case "schema":
          UpdateSchema schema = table.updateSchema();
          for (JsonNode op : ops) updateSchema(schema, op);
          schema.commit();
          break;
        case "spec":
          UpdatePartitionSpec spec = table.updateSpec();
          for (JsonNode op : ops) updateSpec(spec, op);
          spec.commit();
          break;
        case "properties":
          UpdateProperties properties = table.updateProperties();
          for (JsonNode op : ops) {
            properties.set(op.get("name").asText(), op.get("value").asText());
          }
          properties.commit();
          break;
        default:
          throw new IllegalArgumentException("unknown kind of commit " + commit.get("kind"));
      }
    }
    table.refresh();
    return metadata(table);
  }

  private static Type type(JsonNode json) {
    if (json.isTextual()) return Types.fromTypeName(json.asText());
    return SchemaParser.fromJson(
            "{\"type\":\"struct\",\"fields\":[{\"id\":100000,\"name\":\"t\",\"required\":false,"
                + "\"type\":" + json + "}]}")
        .findType(100000);
  }

  private static String text(JsonNode op, String name) {
    return op.hasNonNull(name) ? op.get(name).asText() : null;
  }

  private static void updateSchema(UpdateSchema update, JsonNode op) {
    String name = text(op, "name");
    switch (op.get("op").asText()) {
      case "add":
        Type type = type(op.get("type"));
        Literal<?> value =
            op.hasNonNull("default") ? Rows.literal(type, op.get("default")) : null;
        if (op.path("required").asBoolean()) {
          update.addRequiredColumn(text(op, "parent"), name, type, text(op, "doc"), value);
        } else {
          update.addColumn(text(op, "parent"), name, type, text(op, "doc"), value);
        }
        break;
      case "delete": update.deleteColumn(name); break;
      case "rename": update.renameColumn(name, text(op, "new_name")); break;
      case "update_type": update.updateColumn(name, type(op.get("type")).asPrimitiveType()); break;
      case "update_doc": update.updateColumnDoc(name, text(op, "doc")); break;
      case "make_optional": update.makeColumnOptional(name); break;
      case "require": update.requireColumn(name); break;
      case "move_first": update.moveFirst(name); break;
      case "move_before": update.moveBefore(name, text(op, "ref")); break;
      case "move_after": update.moveAfter(name, text(op, "ref")); break;
      case "allow_incompatible": update.allowIncompatibleChanges(); break;
      case "set_identifier_fields":
        List<String> names = new ArrayList<>();
        op.get("names").forEach(each -> names.add(each.asText()));
        update.setIdentifierFields(names);
        break;
      default: throw new IllegalArgumentException("unknown schema op " + op);
    }
  }

  /** {ref, transform} with transforms spelled as in the spec: identity, bucket[16], day, … */
  private static Term term(JsonNode json) {
    String ref = json.get("ref").asText();
    String transform = json.get("transform").asText();
    int width = transform.contains("[") ? Integer.parseInt(transform.replaceAll("\\D", "")) : 0;
    switch (transform.replaceAll("\\[.*", "")) {
      case "identity": return Expressions.ref(ref);
      case "bucket": return Expressions.bucket(ref, width);
      case "truncate": return Expressions.truncate(ref, width);
      case "year": return Expressions.year(ref);
      case "month": return Expressions.month(ref);
      case "day": return Expressions.day(ref);
      case "hour": return Expressions.hour(ref);
      default: throw new IllegalArgumentException("unknown transform " + transform);
    }
  }

  private static void updateSpec(UpdatePartitionSpec update, JsonNode op) {
    switch (op.get("op").asText()) {
      case "add_ref": update.addField(text(op, "name")); break;
      case "add": update.addField(text(op, "name"), term(op.get("term"))); break;
      case "remove_name": update.removeField(text(op, "name")); break;
      case "remove_term": update.removeField(term(op.get("term"))); break;
      case "rename": update.renameField(text(op, "name"), text(op, "new_name")); break;
      case "add_non_default": update.addNonDefaultSpec(); break;
      default: throw new IllegalArgumentException("unknown spec op " + op);
    }
  }

  private Tables() {}
}
