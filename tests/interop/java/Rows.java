/* SPDX-License-Identifier: Apache-2.0 */
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SingleValueParser;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.ByteBuffers;

/**
 * Rows as JSON: structs as objects by name, lists as arrays, maps as arrays of [key, value], all
 * else as the spec's JSON single values; NaN and the infinities as "NaN", "Infinity", "-Infinity".
 */
final class Rows {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final LocalDate EPOCH_DAY = LocalDate.ofEpochDay(0);
  private static final LocalDateTime EPOCH = EPOCH_DAY.atStartOfDay();

  static JsonNode toJson(Type type, Object value) throws Exception {
    if (value == null) return NODES.nullNode();
    if (type.isStructType()) {
      ObjectNode object = NODES.objectNode();
      List<Types.NestedField> fields = type.asStructType().fields();
      for (int i = 0; i < fields.size(); i++) {
        Object child = ((StructLike) value).get(i, Object.class);
        object.set(fields.get(i).name(), toJson(fields.get(i).type(), child));
      }
      return object;
    }
    ArrayNode array = NODES.arrayNode();
    if (type.isListType()) {
      for (Object element : (List<?>) value) {
        array.add(toJson(type.asListType().elementType(), element));
      }
      return array;
    }
    if (type.isMapType()) {
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
        array.addArray()
            .add(toJson(type.asMapType().keyType(), entry.getKey()))
            .add(toJson(type.asMapType().valueType(), entry.getValue()));
      }
      return array;
    }
    return internalToJson(type, toInternal(type, value));
  }

  private static JsonNode internalToJson(Type type, Object value) throws Exception {
    if (value == null) return NODES.nullNode();
    if (value instanceof Float) value = ((Float) value).doubleValue();
    if (value instanceof Double) {
      double number = (Double) value;
      return Double.isFinite(number) ? NODES.numberNode(number) : NODES.textNode(value.toString());
    }
    return Peer.JSON.readTree(SingleValueParser.toJson(type, value));
  }

  /** From the classes of the generic data model to those of partition tuples and literals. */
  private static Object toInternal(Type type, Object value) {
    switch (type.typeId()) {
      case DATE: return (int) ((LocalDate) value).toEpochDay();
      case TIME: return ((LocalTime) value).toNanoOfDay() / 1000;
      case TIMESTAMP: return ChronoUnit.MICROS.between(EPOCH, utc(value));
      case TIMESTAMP_NANO: return ChronoUnit.NANOS.between(EPOCH, utc(value));
      case FIXED: return ByteBuffer.wrap((byte[]) value);
      default: return value;
    }
  }

  private static LocalDateTime utc(Object value) {
    return value instanceof LocalDateTime
        ? (LocalDateTime) value
        : ((OffsetDateTime) value).withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
  }

  private static Object fromInternal(Type type, Object value) {
    switch (type.typeId()) {
      case DATE: return LocalDate.ofEpochDay((Integer) value);
      case TIME: return LocalTime.ofNanoOfDay((Long) value * 1000);
      case TIMESTAMP:
        LocalDateTime micros = EPOCH.plus((Long) value, ChronoUnit.MICROS);
        boolean zoned = ((Types.TimestampType) type).shouldAdjustToUTC();
        return zoned ? micros.atOffset(ZoneOffset.UTC) : micros;
      case TIMESTAMP_NANO:
        LocalDateTime nanos = EPOCH.plus((Long) value, ChronoUnit.NANOS);
        boolean zonedNano = ((Types.TimestampNanoType) type).shouldAdjustToUTC();
        return zonedNano ? nanos.atOffset(ZoneOffset.UTC) : nanos;
      case FIXED: return ByteBuffers.toByteArray((ByteBuffer) value);
      default: return value;
    }
  }

  private static Object primitiveFromJson(Type type, JsonNode json) {
    boolean floating = type.typeId() == Type.TypeID.FLOAT || type.typeId() == Type.TypeID.DOUBLE;
    if (floating) {
      double number = json.isTextual() ? Double.parseDouble(json.asText()) : json.asDouble();
      return type.typeId() == Type.TypeID.FLOAT ? (Object) (float) number : (Object) number;
    }
    return SingleValueParser.fromJson(type, json);
  }

  /** A default value: temporal types from their text, all others from their value. */
  static Literal<?> literal(Type type, JsonNode json) {
    switch (type.typeId()) {
      case DATE: case TIME: case TIMESTAMP: case TIMESTAMP_NANO: case STRING: case UUID:
        return Literal.of(json.asText()).to(type);
      case BOOLEAN: return Literal.of(json.asBoolean());
      case INTEGER: case LONG: return Literal.of(json.asLong()).to(type);
      case FLOAT: case DOUBLE: return Literal.of(json.asDouble()).to(type);
      case DECIMAL: return Literal.of((BigDecimal) primitiveFromJson(type, json));
      default: return Literal.of((ByteBuffer) primitiveFromJson(type, json)).to(type);
    }
  }

  static Object fromJson(Type type, JsonNode json) {
    if (json == null || json.isNull()) return null;
    if (type.isStructType()) return structFromJson(type.asStructType(), json);
    if (type.isListType()) {
      List<Object> list = new ArrayList<>();
      json.forEach(element -> list.add(fromJson(type.asListType().elementType(), element)));
      return list;
    }
    if (type.isMapType()) {
      Map<Object, Object> map = new LinkedHashMap<>();
      for (JsonNode entry : json) {
        map.put(fromJson(type.asMapType().keyType(), entry.get(0)),
            fromJson(type.asMapType().valueType(), entry.get(1)));
      }
      return map;
    }
    return fromInternal(type, primitiveFromJson(type, json));
  }

  static Record structFromJson(Types.StructType type, JsonNode json) {
    Record record = GenericRecord.create(type);
    for (Types.NestedField field : type.fields()) {
      record.setField(field.name(), fromJson(field.type(), json.get(field.name())));
    }
    return record;
  }

  static ObjectNode fileToJson(Table table, DataFile file) throws Exception {
    PartitionSpec spec = table.specs().get(file.specId());
    ObjectNode partition = NODES.objectNode();
    List<Types.NestedField> fields = spec.partitionType().fields();
    for (int i = 0; i < fields.size(); i++) {
      Object value = file.partition().get(i, Object.class);
      Type type = fields.get(i).type();
      if (type.typeId() == Type.TypeID.UNKNOWN) { // its source column was dropped
        partition.put(fields.get(i).name(), value == null ? null : value.toString());
      } else {
        partition.set(fields.get(i).name(), internalToJson(type, value));
      }
    }
    ObjectNode json = NODES.objectNode();
    json.put("path", file.location()).put("spec_id", file.specId());
    json.put("record_count", file.recordCount());
    json.set("partition", partition);
    return json;
  }

  /** {field id: {value_count, null_count, nan_count, lower, upper}}, absent where unknown. */
  static ObjectNode metricsToJson(Table table, DataFile file) throws Exception {
    ObjectNode all = NODES.objectNode();
    if (file.valueCounts() == null) return all;
    for (Integer id : file.valueCounts().keySet()) {
      ObjectNode column = all.putObject(String.valueOf(id));
      column.put("value_count", file.valueCounts().get(id));
      put(column, "null_count", file.nullValueCounts(), id);
      put(column, "nan_count", file.nanValueCounts(), id);
      Type type = findType(table, id);
      putBound(column, "lower", type, file.lowerBounds(), id);
      putBound(column, "upper", type, file.upperBounds(), id);
    }
    return all;
  }

  /** The type of a field in the current schema, or in an older one if it has been dropped. */
  private static Type findType(Table table, int id) {
    Type type = table.schema().findType(id);
    for (Schema older : table.schemas().values()) {
      if (type == null) type = older.findType(id);
    }
    return type;
  }

  private static void put(ObjectNode to, String name, Map<Integer, Long> counts, Integer id) {
    if (counts != null && counts.containsKey(id)) to.put(name, counts.get(id));
  }

  private static void putBound(
      ObjectNode to, String name, Type type, Map<Integer, ByteBuffer> bounds, Integer id)
      throws Exception {
    if (bounds == null || !bounds.containsKey(id)) return;
    Object value = Conversions.fromByteBuffer(type, bounds.get(id));
    to.set(name, internalToJson(type, value));
  }

  static ArrayNode sortedByPath(List<ObjectNode> files) {
    files.sort(Comparator.comparing(file -> file.get("path").asText()));
    ArrayNode all = NODES.arrayNode();
    files.forEach(all::add);
    return all;
  }

  private Rows() {}
}
