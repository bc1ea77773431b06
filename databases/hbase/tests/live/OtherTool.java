import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** Writes and reads one record as YCSB's binding lays it: OtherTool PORT put|get KEY [FIELD VALUE]... */
public class OtherTool {
    private static final byte[] FAMILY = bytes("family");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) throws Exception {
        Configuration configuration = HBaseConfiguration.create();
        configuration.set("hbase.zookeeper.quorum", "127.0.0.1");
        configuration.set("hbase.zookeeper.property.clientPort", arguments[0]);
        TableName name = TableName.valueOf("usertable");
        try (Connection connection = ConnectionFactory.createConnection(configuration)) {
            if (arguments[1].equals("put")) {
                try (Admin admin = connection.getAdmin()) {
                    if (!admin.tableExists(name)) {
                        admin.createTable(TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
                    }
                }
            }
            try (Table table = connection.getTable(name)) {
                if (arguments[1].equals("put")) {
                    Put put = new Put(bytes(arguments[2]));
                    for (int at = 3; at < arguments.length; at += 2) {
                        put.addColumn(FAMILY, bytes(arguments[at]), bytes(arguments[at + 1]));
                    }
                    table.put(put);
                    return;
                }
                Result row = table.get(new Get(bytes(arguments[2])));
                row.getMap().forEach((family, columns) -> columns.forEach((qualifier, versions) ->
                    System.out.println(text(family) + ":" + text(qualifier) + "=" + text(versions.firstEntry().getValue()))));
            }
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
