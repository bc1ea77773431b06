import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.security.UserGroupInformation;

/** Lets a user make tables, which then are its own: PRINCIPAL KEYTAB of an administrator, then USER. */
public class Grant {
    private static final int TRIES = 60;

    public static void main(String[] arguments) throws Exception {
        Configuration configuration = HBaseConfiguration.create();
        configuration.setInt("hbase.client.operation.timeout", 20_000);
        configuration.setInt("hbase.rpc.timeout", 5_000);
        UserGroupInformation.setConfiguration(configuration);
        User administrator =
            User.create(UserGroupInformation.loginUserFromKeytabAndReturnUGI(arguments[0], arguments[1]));
        Permission making =
            Permission.newBuilder("default").withActions(Permission.Action.CREATE).build();
        try (Connection connection = ConnectionFactory.createConnection(configuration, administrator);
            Admin admin = connection.getAdmin()) {
            // The table of rights comes up after the master.
            for (int left = TRIES; ; left--) {
                try {
                    admin.grant(new UserPermission(arguments[2], making), false);
                    return;
                } catch (IOException failure) {
                    if (left == 0) {
                        throw failure;
                    }
                    TimeUnit.MILLISECONDS.sleep(500);
                }
            }
        }
    }
}
