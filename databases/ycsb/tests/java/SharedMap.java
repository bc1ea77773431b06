import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** A little database: ordered maps that all instances share. Its scans give the key in the field "key". */
public final class SharedMap extends DB {
    private static final Map<String, ConcurrentSkipListMap<String, Map<String, byte[]>>> TABLES =
        new ConcurrentHashMap<>();

    private static NavigableMap<String, Map<String, byte[]>> table(String name) {
        return TABLES.computeIfAbsent(name, any -> new ConcurrentSkipListMap<>());
    }

    private static void give(Map<String, byte[]> record, Set<String> fields, Map<String, ByteIterator> result) {
        record.forEach((field, value) -> {
            if (fields == null || fields.contains(field)) {
                result.put(field, new ByteArrayByteIterator(value));
            }
        });
    }

    private static Map<String, byte[]> taken(Map<String, ByteIterator> values) {
        Map<String, byte[]> taken = new TreeMap<>();
        values.forEach((field, value) -> taken.put(field, value.toArray()));
        return taken;
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        Map<String, byte[]> record = table(table).get(key);
        if (record == null) {
            return Status.NOT_FOUND;
        }
        give(record, fields, result);
        return Status.OK;
    }

    @Override
    public Status scan(String table, String startkey, int recordcount, Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        for (Map.Entry<String, Map<String, byte[]>> entry : table(table).tailMap(startkey, true).entrySet()) {
            if (result.size() == recordcount) {
                break;
            }
            HashMap<String, ByteIterator> row = new HashMap<>();
            give(entry.getValue(), fields, row);
            if (fields == null || fields.contains("key")) {
                row.put("key", new ByteArrayByteIterator(entry.getKey().getBytes()));
            }
            result.add(row);
        }
        return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        // Once, for the map may compute a record anew when another thread was quicker, and values can be taken once only.
        Map<String, byte[]> changes = taken(values);
        Map<String, byte[]> after = table(table).computeIfPresent(key, (any, before) -> {
            Map<String, byte[]> changed = new TreeMap<>(before);
            changed.putAll(changes);
            return changed;
        });
        return after == null ? Status.NOT_FOUND : Status.OK;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        table(table).put(key, taken(values));
        return Status.OK;
    }

    @Override
    public Status delete(String table, String key) {
        return table(table).remove(key) == null ? Status.NOT_FOUND : Status.OK;
    }
}
