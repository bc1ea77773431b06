import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicInteger;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/** Answers the status that the key names, and some keys otherwise. */
public final class Parrot extends DB {
    private static final AtomicInteger OPEN = new AtomicInteger();

    @Override
    public void init() throws DBException {
        switch (getProperties().getProperty("init", "")) {
            case "full": throw new DBException("the disk is full");
            case "nobody": throw new DBException(new ConnectException("nobody listens"));
            case "library": throw new NoClassDefFoundError("org/example/Client");
            case "never": sleep(); break;
            default: OPEN.incrementAndGet();
        }
    }

    @Override
    public void cleanup() {
        OPEN.decrementAndGet();
    }

    private static void sleep() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException woken) {
            throw new IllegalStateException(woken);
        }
    }

    private static Status say(String key) {
        switch (key) {
            case "nothing": return null;
            case "own": return new Status("QUOTA", "too much this month");
            case "late": throw new IllegalStateException(new SocketTimeoutException("waited long enough"));
            case "never": sleep(); break;
            case "broken": throw new IllegalStateException("broken inside");
            default:
        }
        try {
            return (Status) Status.class.getField(key).get(null);
        } catch (ReflectiveOperationException missing) {
            throw new IllegalArgumentException(missing);
        }
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        if (key.equals("open")) {
            result.put("field0", new StringByteIterator(Integer.toString(OPEN.get())));
            return Status.OK;
        }
        if (key.startsWith("property ")) {
            String value = getProperties().getProperty(key.substring(9), "none");
            result.put("field0", new StringByteIterator(value));
            return Status.OK;
        }
        System.out.println("on standard output: " + key);
        return say(key);
    }

    @Override
    public Status scan(String table, String startkey, int recordcount, Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return say(startkey);
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return say(key);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        return say(key);
    }

    @Override
    public Status delete(String table, String key) {
        return say(key);
    }
}
