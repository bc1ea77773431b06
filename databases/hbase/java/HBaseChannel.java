package dbdyno;

import java.io.OutputStream;
import java.io.PrintStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;

/** What the driver asks of HBase's own client. The numbers are those of calls.rs. */
public final class HBaseChannel extends Channel {
    private static final TableName MANIFESTS = TableName.valueOf("_dbdyno_manifest");
    private static final byte[] MANIFEST_FAMILY = {'m'};

    private Connection connection;
    private int limit;
    private Table table;
    private byte[] family;
    private Durability durability;
    private byte[][] fields;
    private Map<String, Integer> positions;

    static {
        muteClient();
    }

    public HBaseChannel() {}

    /** The client (RpcRetryingCallerWithReadReplicas) prints the stack of failures that it throws as well. */
    private static void muteClient() {
        PrintStream errors = System.err;
        StackWalker stack = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
        System.setErr(new PrintStream(new OutputStream() {
            @Override
            public void write(int single) {
                write(new byte[] {(byte) single}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                boolean called = stack.walk(frames ->
                    frames.anyMatch(frame -> frame.getDeclaringClass() == HBaseChannel.class));
                if (!called) {
                    errors.write(bytes, offset, length);
                }
            }
        }, true));
    }

    @Override
    protected void handle(int operation) throws Exception {
        switch (operation) {
            case 0: connect(); break;
            case 1: createTable(); break;
            case 2: dropTable(); break;
            case 3: session(); break;
            case 4: facts(); break;
            case 5: loadManifest(); break;
            case 6: storeManifest(); break;
            case 7: connection.close(); begin(); break;
            case 8: limit(readInt()); begin(); break;
            case 10: read(); break;
            case 11: scan(); break;
            case 12: insert(); break;
            case 13: table.put(put(readBytes())); begin(); break;
            case 14: delete(); break;
            case 15: table.close(); begin(); break;
            default: throw new IllegalStateException("unknown operation " + operation);
        }
    }

    private void connect() throws Exception {
        int milliseconds = readInt();
        limit = readInt();
        Configuration configuration = HBaseConfiguration.create();
        for (int left = readInt(); left > 0; left--) {
            configuration.set(readText(), readText());
        }
        // The client waits for ZooKeeper without a deadline of its own, and cannot be told to stop: a thread that may be
        // left alone does.
        AtomicBoolean abandoned = new AtomicBoolean();
        FutureTask<Connection> task = new FutureTask<>(() -> {
            Connection made = ConnectionFactory.createConnection(configuration);
            try {
                while (!answers(made)) {
                    // The first answer may take longer than an operation: this may take as long as connecting may.
                }
            } catch (Exception failure) {
                made.close();
                throw failure;
            }
            if (abandoned.get()) {
                made.close();
            }
            return made;
        });
        Thread thread = new Thread(task, "dbdyno-connect");
        thread.setDaemon(true);
        thread.setContextClassLoader(HBaseChannel.class.getClassLoader());
        thread.start();
        try {
            connection = task.get(milliseconds, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof Exception ? (Exception) failure.getCause() : failure;
        } finally {
            abandoned.set(connection == null);
            thread.interrupt();
        }
        begin();
    }

    /** Whether the master answers in the time of an operation. */
    private static boolean answers(Connection connection) throws Exception {
        try (Admin admin = connection.getAdmin()) {
            admin.getClusterMetrics();
            return true;
        } catch (SocketTimeoutException | TimeoutIOException late) {
            return false;
        }
    }

    private void create(TableName name, byte[] columns, byte[][] splits) throws Exception {
        try (Admin admin = connection.getAdmin()) {
            if (admin.tableExists(name)) {
                return;
            }
            TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(columns)).build();
            if (splits.length == 0) {
                admin.createTable(descriptor);
            } else {
                admin.createTable(descriptor, splits);
            }
        } catch (TableExistsException another) {
            // Somebody else made it meanwhile, which is what was asked for.
        }
    }

    private void createTable() throws Exception {
        TableName name = TableName.valueOf(readText());
        byte[] columns = readBytes();
        int regions = readInt();
        // The split of YCSB's documentation: user1000 to user9999, evenly.
        byte[][] splits = new byte[regions - 1][];
        for (int index = 1; index < regions; index++) {
            splits[index - 1] = ("user" + (1000 + index * (9999 - 1000) / regions)).getBytes(StandardCharsets.UTF_8);
        }
        create(name, columns, splits);
        begin();
    }

    private void dropTable() throws Exception {
        String text = readText();
        TableName name = TableName.valueOf(text);
        try (Admin admin = connection.getAdmin()) {
            if (admin.tableExists(name)) {
                if (admin.isTableEnabled(name)) {
                    admin.disableTable(name);
                }
                admin.deleteTable(name);
            }
        }
        try (Table manifests = connection.getTable(MANIFESTS)) {
            byte[] key = text.getBytes(StandardCharsets.UTF_8);
            manifests.delete(new Delete(key));
            Deletions.done(key);
        } catch (TableNotFoundException none) {
            // No manifest was ever stored.
        }
        begin();
    }

    private void session() throws Exception {
        HBaseChannel opened = new HBaseChannel();
        String name = readText();
        opened.family = readBytes();
        opened.durability = Durability.valueOf(readText());
        opened.fields = new byte[readInt()][];
        opened.positions = new HashMap<>();
        for (int index = 0; index < opened.fields.length; index++) {
            opened.fields[index] = readBytes();
            opened.positions.put(new String(opened.fields[index], StandardCharsets.UTF_8), index);
        }
        TableName table = TableName.valueOf(name);
        try (Admin admin = connection.getAdmin()) {
            if (!admin.tableExists(table)) {
                throw new TableNotFoundException(name);
            }
            if (!admin.getDescriptor(table).hasColumnFamily(opened.family)) {
                throw new IllegalArgumentException("table " + name + " has no column family "
                    + new String(opened.family, StandardCharsets.UTF_8) + "; name it with columnfamily=");
            }
        }
        opened.connection = connection;
        opened.limit(limit);
        opened.table = connection.getTable(table);
        giveChild(opened);
        begin();
    }

    private void facts() throws Exception {
        List<String> pairs = new ArrayList<>();
        try (Admin admin = connection.getAdmin()) {
            ClusterMetrics metrics = admin.getClusterMetrics();
            pairs.add("version");
            pairs.add(String.valueOf(metrics.getHBaseVersion()));
            pairs.add("region_servers");
            pairs.add(String.valueOf(metrics.getLiveServerMetrics().size()));
            pairs.add("dead_region_servers");
            pairs.add(String.valueOf(metrics.getDeadServerNames().size()));
            pairs.add("regions");
            pairs.add(String.valueOf(metrics.getRegionCount()));
            long heap = 0;
            for (org.apache.hadoop.hbase.ServerMetrics server : metrics.getLiveServerMetrics().values()) {
                heap = Math.max(heap, (long) server.getMaxHeapSize().get(org.apache.hadoop.hbase.Size.Unit.MEGABYTE));
            }
            pairs.add("largest_heap");
            pairs.add(heap + " MiB");
        }
        pairs.add("client");
        pairs.add(org.apache.hadoop.hbase.util.VersionInfo.getVersion());
        begin();
        writeInt(pairs.size() / 2);
        for (String text : pairs) {
            writeText(text);
        }
    }

    private void loadManifest() throws Exception {
        byte[] name = readBytes();
        byte[] value = null;
        try (Table manifests = connection.getTable(MANIFESTS)) {
            value = manifests.get(new Get(name)).getValue(MANIFEST_FAMILY, new byte[0]);
        } catch (TableNotFoundException none) {
            // No manifest was ever stored.
        }
        begin();
        writeInt(value == null ? 0 : 1);
        if (value != null) {
            write(value);
        }
    }

    private void storeManifest() throws Exception {
        byte[] name = readBytes();
        byte[] text = readBytes();
        create(MANIFESTS, MANIFEST_FAMILY, new byte[0][]);
        try (Table manifests = connection.getTable(MANIFESTS)) {
            manifests.put(new Put(Deletions.passed(name)).addColumn(MANIFEST_FAMILY, new byte[0], text));
        }
        begin();
    }

    private void answer(Result row) {
        int mark = mark();
        int count = 0;
        for (Cell cell : row.rawCells()) {
            String name = new String(cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength(),
                StandardCharsets.UTF_8);
            Integer position = positions.get(name);
            if (position != null) {
                writeInt(position);
                write(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
                count++;
            }
        }
        fill(mark, count);
    }

    private void read() throws Exception {
        byte[] key = readBytes();
        int selected = readInt();
        Get get = new Get(key);
        if (selected >= 0) {
            get.addColumn(family, fields[selected]);
        } else if (selected == -2) {
            for (byte[] field : fields) {
                get.addColumn(family, field);
            }
        } else {
            get.addFamily(family);
        }
        Result row = table.get(get);
        boolean found = !row.isEmpty() || (selected != -1 && table.exists(new Get(key).addFamily(family)));
        begin();
        writeInt(found ? 1 : 0);
        answer(row);
    }

    private void scan() throws Exception {
        byte[] from = readBytes();
        int limit = readInt();
        int selected = readInt();
        Scan scan = new Scan().withStartRow(from).setLimit(limit).setCaching(limit).addFamily(family);
        begin();
        int mark = mark();
        int count = 0;
        if (limit > 0) {
            try (ResultScanner rows = table.getScanner(scan)) {
                for (Result row = rows.next(); row != null && count < limit; row = rows.next()) {
                    count++;
                    write(row.getRow());
                    if (selected < 0) {
                        answer(row);
                    } else {
                        byte[] value = row.getValue(family, fields[selected]);
                        writeInt(value == null ? 0 : 1);
                        if (value != null) {
                            writeInt(selected);
                            write(value);
                        }
                    }
                }
            }
        }
        fill(mark, count);
    }

    /**
     * HBase orders writes by the milliseconds of its own clock, and what a deletion hides it hides from all of its
     * millisecond: a record that is inserted right after its deletion would not be seen. So a write to a key waits until a
     * millisecond has passed since a deletion there was acknowledged.
     */
    private static final class Deletions {
        private static final AtomicLongArray WHEN_NANOSECONDS = new AtomicLongArray(4096);
        private static volatile boolean any;

        private static int place(byte[] key) {
            return Arrays.hashCode(key) & (WHEN_NANOSECONDS.length() - 1);
        }

        static void done(byte[] key) {
            any = true;
            WHEN_NANOSECONDS.set(place(key), System.nanoTime() | 1);
        }

        static byte[] passed(byte[] key) {
            if (any) {
                long when = WHEN_NANOSECONDS.get(place(key));
                long left = when == 0 ? 0 : when + 1_000_000 - System.nanoTime();
                while (left > 0) {
                    LockSupport.parkNanos(left);
                    left = when + 1_000_000 - System.nanoTime();
                }
            }
            return key;
        }
    }

    private Put put(byte[] key) {
        Put put = new Put(Deletions.passed(key));
        put.setDurability(durability);
        for (int left = readInt(); left > 0; left--) {
            int position = readInt();
            put.addColumn(family, fields[position], readBytes());
        }
        return put;
    }

    private void insert() throws Exception {
        Put put = put(readBytes());
        if (put.size() == fields.length) {
            table.put(put);
        } else {
            // The fields that the new record has not go in the same step.
            Delete rest = new Delete(put.getRow()).setDurability(durability);
            for (byte[] field : fields) {
                if (!put.has(family, field)) {
                    rest.addColumns(family, field);
                }
            }
            try {
                table.mutateRow(new RowMutations(put.getRow()).add((Mutation) put).add((Mutation) rest));
            } finally {
                Deletions.done(put.getRow());
            }
        }
        begin();
    }

    private void delete() throws Exception {
        byte[] key = readBytes();
        try {
            table.delete(new Delete(key).addFamily(family).setDurability(durability));
        } finally {
            Deletions.done(key);
        }
        begin();
    }
}
