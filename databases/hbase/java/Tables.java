package dbdyno;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;

/** Tables, and the manifests beside them. */
final class Tables {
    private static final TableName MANIFESTS = TableName.valueOf("_dbdyno_manifest");
    private static final byte[] MANIFEST_FAMILY = {'m'};

    private Tables() {}

    /**
     * Creates a table of one family that is split into so many regions, unless it is there. Cipher and compression may be empty:
     * the server's default.
     */
    static void create(
            Connection connection, TableName name, byte[] family, String cipher, String compression, int regions)
            throws IOException {
        try (Admin admin = connection.getAdmin()) {
            if (admin.tableExists(name)) {
                return;
            }
            ColumnFamilyDescriptorBuilder columns = ColumnFamilyDescriptorBuilder.newBuilder(family);
            if (!cipher.isEmpty()) {
                columns.setEncryptionType(cipher);
            }
            if (!compression.isEmpty()) {
                columns.setCompressionType(Compression.Algorithm.valueOf(compression.toUpperCase(Locale.ROOT)));
            }
            TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(columns.build()).build();
            if (regions == 1) {
                admin.createTable(descriptor);
            } else {
                admin.createTable(descriptor, splits(regions));
            }
        } catch (TableExistsException another) {
            // Somebody else made it meanwhile, which is what was asked for.
        }
    }

    /** What a table was made with, and its regions now. */
    static Map<String, String> facts(Connection connection, TableName name, byte[] family) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        try (Admin admin = connection.getAdmin()) {
            ColumnFamilyDescriptor columns = admin.getDescriptor(name).getColumnFamily(family);
            if (columns != null) {
                facts.put("compression", columns.getCompressionType().getName().toLowerCase(Locale.ROOT));
            }
            facts.put("regions_of_table", String.valueOf(admin.getRegions(name).size()));
        }
        return facts;
    }

    /** The split of YCSB's documentation: user1000 to user9999, evenly. */
    private static byte[][] splits(int regions) {
        byte[][] splits = new byte[regions - 1][];
        for (int index = 1; index < regions; index++) {
            splits[index - 1] = ("user" + (1000 + index * (9999 - 1000) / regions)).getBytes(StandardCharsets.UTF_8);
        }
        return splits;
    }

    /** Removes a table and its manifest, if they are there. */
    static void drop(Connection connection, String text) throws IOException {
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
    }

    /** The manifest of a table, or null. */
    static byte[] manifest(Connection connection, byte[] table) throws IOException {
        try (Table manifests = connection.getTable(MANIFESTS)) {
            return manifests.get(new Get(table)).getValue(MANIFEST_FAMILY, new byte[0]);
        } catch (TableNotFoundException none) {
            // No manifest was ever stored.
            return null;
        }
    }

    static void keepManifest(Connection connection, byte[] table, byte[] text) throws IOException {
        create(connection, MANIFESTS, MANIFEST_FAMILY, "", "", 1);
        try (Table manifests = connection.getTable(MANIFESTS)) {
            manifests.put(new Put(Deletions.passed(table)).addColumn(MANIFEST_FAMILY, new byte[0], text));
        }
    }
}
