package dbdyno;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.*;

/** What the driver asks of HBase's own client. The numbers are those of calls.rs. */
public final class HBaseChannel extends Channel {
    private Connection connection;
    private int limit;
    private Table table;
    private byte[] family;
    private Durability durability;
    private byte[][] fields;
    private Map<String, Integer> positions;

    static {
        QuietErrors.install();
    }

    public HBaseChannel() {}

    @Override
    protected void handle(int operation) throws Exception {
        switch (operation) {
            case 0: connect(); break;
            case 1: createTable(); break;
            case 2: dropTable(); break;
            case 3: session(); break;
            case 4: answer(Facts.of(connection)); break;
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
            case 16: Rights.grant(connection, readText(), readText()); begin(); break;
            case 17: Rights.revoke(connection, readText(), readText()); begin(); break;
            case 18: rights(); break;
            case 19: answer(Tables.facts(connection, TableName.valueOf(readText()), readBytes())); break;
            case 20: blocks(); break;
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
        Security.prepare(configuration);
        connection = Connecting.connect(configuration, milliseconds);
        begin();
    }

    private void createTable() throws Exception {
        Tables.create(connection, TableName.valueOf(readText()), readBytes(), readText(), readText(), readInt());
        begin();
    }

    private void dropTable() throws Exception {
        Tables.drop(connection, readText());
        begin();
    }

    private void answer(Map<String, String> facts) {
        begin();
        writeInt(facts.size());
        facts.forEach((name, value) -> {
            writeText(name);
            writeText(value);
        });
    }

    private void loadManifest() throws Exception {
        byte[] manifest = Tables.manifest(connection, readBytes());
        begin();
        writeInt(manifest == null ? 0 : 1);
        if (manifest != null) {
            write(manifest);
        }
    }

    private void storeManifest() throws Exception {
        Tables.keepManifest(connection, readBytes(), readBytes());
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

    private void rights() throws Exception {
        Map<String, String> rights = Rights.of(connection, readText());
        begin();
        writeInt(rights.size());
        rights.forEach((place, actions) -> {
            writeText(place);
            writeText(actions);
        });
    }

    private void blocks() throws Exception {
        List<String> blocks = Hdfs.blocks(connection.getConfiguration(), readText());
        begin();
        writeInt(blocks.size());
        blocks.forEach(this::writeText);
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
