package dbdyno;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.NamespacePermission;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.TablePermission;
import org.apache.hadoop.hbase.security.access.UserPermission;

/** The right to read and write a table, given and withdrawn; and all rights of a user. */
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

    /** The letters of a user's actions by place: nothing for everywhere, "@namespace", or a table. Those of its groups are among them. */
    static Map<String, String> of(Connection connection, String user) throws Exception {
        Map<String, String> rights = new TreeMap<>();
        try {
            for (String places : new String[] {"", "@.*", ".*"}) {
                for (UserPermission own : AccessControlClient.getUserPermissions(connection, places, user)) {
                    Permission permission = own.getPermission();
                    StringBuilder actions = new StringBuilder();
                    for (Permission.Action action : permission.getActions()) {
                        actions.append((char) action.code());
                    }
                    rights.merge(place(permission), actions.toString(), String::concat);
                }
            }
        } catch (Throwable failure) {
            throw plain(failure);
        }
        return rights;
    }

    private static String place(Permission permission) {
        if (permission instanceof TablePermission) {
            return ((TablePermission) permission).getTableName().getNameAsString();
        }
        if (permission instanceof NamespacePermission) {
            return "@" + ((NamespacePermission) permission).getNamespace();
        }
        return "";
    }

    private static Exception plain(Throwable failure) {
        return failure instanceof Exception ? (Exception) failure : new IOException(failure);
    }
}
