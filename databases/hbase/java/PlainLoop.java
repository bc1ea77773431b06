import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What a plain Java program gets out of the same client library: threads that share a connection read whole records in a
 * closed loop, by keys that are drawn evenly from those of the table. A peer for the driver, not a part of it.
 *
 * PlainLoop HOST PORT TABLE FAMILY THREADS WARMUP_SECONDS SECONDS prints one line of JSON; only what happens after the
 * warm-up counts.
 */
public final class PlainLoop {
    private static volatile boolean running = true;

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 7) {
            System.err.println("PlainLoop HOST PORT TABLE FAMILY THREADS WARMUP_SECONDS SECONDS");
            System.exit(2);
        }
        Configuration configuration = HBaseConfiguration.create();
        configuration.set("hbase.zookeeper.quorum", arguments[0]);
        configuration.set("hbase.zookeeper.property.clientPort", arguments[1]);
        TableName name = TableName.valueOf(arguments[2]);
        byte[] family = Bytes.toBytes(arguments[3]);
        int threads = Integer.parseInt(arguments[4]);
        LongAdder operations = new LongAdder();
        LongAdder failures = new LongAdder();
        try (Connection connection = ConnectionFactory.createConnection(configuration)) {
            List<byte[]> keys = keys(connection, name, family);
            if (keys.isEmpty()) {
                System.err.println("table " + name + " holds no record; load it first");
                System.exit(2);
            }
            List<Thread> workers = new ArrayList<>();
            for (int index = 0; index < threads; index++) {
                Thread worker = new Thread(() -> work(connection, name, family, keys, operations, failures));
                worker.start();
                workers.add(worker);
            }
            OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            Thread.sleep(1000L * Integer.parseInt(arguments[5]));
            long operationsBefore = operations.sum();
            long failuresBefore = failures.sum();
            long processorBefore = system.getProcessCpuTime();
            long begin = System.nanoTime();
            Thread.sleep(1000L * Integer.parseInt(arguments[6]));
            double seconds = (System.nanoTime() - begin) / 1e9;
            double processor = (system.getProcessCpuTime() - processorBefore) / 1e3;
            long done = operations.sum() - operationsBefore;
            long failed = failures.sum() - failuresBefore;
            running = false;
            for (Thread worker : workers) {
                worker.join();
            }
            System.out.println(String.format(Locale.ROOT,
                "{\"operations\": %d, \"failed\": %d, \"seconds\": %.6f, \"client_us_per_operation\": %.3f}",
                done, failed, seconds, done == 0 ? 0.0 : processor / done));
        }
    }

    /** Every key of the table: whatever made them, they are there. */
    private static List<byte[]> keys(Connection connection, TableName name, byte[] family) throws Exception {
        List<byte[]> keys = new ArrayList<>();
        Scan scan = new Scan().addFamily(family).setFilter(new FirstKeyOnlyFilter()).setCaching(1000);
        try (Table table = connection.getTable(name); ResultScanner rows = table.getScanner(scan)) {
            for (Result row : rows) {
                keys.add(row.getRow());
            }
        }
        return keys;
    }

    private static void work(Connection connection, TableName name, byte[] family, List<byte[]> keys,
            LongAdder operations, LongAdder failures) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try (Table table = connection.getTable(name)) {
            while (running) {
                try {
                    byte[] key = keys.get(random.nextInt(keys.size()));
                    Result row = table.get(new Get(key).addFamily(family));
                    // An application takes the values, as YCSB's binding does.
                    int bytes = 0;
                    for (Cell cell : row.rawCells()) {
                        bytes += CellUtil.cloneQualifier(cell).length + CellUtil.cloneValue(cell).length;
                    }
                    (bytes > 0 ? operations : failures).increment();
                } catch (java.io.IOException failure) {
                    failures.increment();
                }
            }
        } catch (java.io.IOException closing) {
            failures.increment();
        }
    }
}
