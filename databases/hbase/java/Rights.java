package dbdyno;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.Permission;

/** The right to read and write a table, given and withdrawn. */
final class Rights {
    private static final Permission.Action[] ACTIONS = {Permission.Action.READ, Permission.Action.WRITE};

    private Rights() {}

    static void grant(Connection connection, String table, String user) throws Exception {
        try {
            AccessControlClient.grant(connection, TableName.valueOf(table), user, null, null, ACTIONS);
        } catch (Throwable failure) {
            throw plain(failure);
        }
    }

    static void revoke(Connection connection, String table, String user) throws Exception {
        try {
            AccessControlClient.revoke(connection, TableName.valueOf(table), user, null, null, ACTIONS);
        } catch (Throwable failure) {
            throw plain(failure);
        }
    }

    private static Exception plain(Throwable failure) {
        return failure instanceof Exception ? (Exception) failure : new IOException(failure);
    }
}
