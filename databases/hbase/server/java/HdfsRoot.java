import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.client.CreateEncryptionZoneFlag;
import org.apache.hadoop.hdfs.client.HdfsAdmin;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Makes a directory in HDFS, by arguments of the form NAME=VALUE: directory; principal and keytab of the file system's own user, where
 * it logs in; owner and group, where the group alone may read beside its owner; key, where it is an encryption zone.
 */
public class HdfsRoot {
    private static final short OWNER_WRITES_AND_GROUP_READS = 0750;

    public static void main(String[] arguments) throws Exception {
        Map<String, String> given = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            given.put(parts[0], parts[1]);
        }
        Configuration configuration = new HdfsConfiguration();
        UserGroupInformation.setConfiguration(configuration);
        UserGroupInformation user = given.containsKey("principal")
            ? UserGroupInformation.loginUserFromKeytabAndReturnUGI(given.get("principal"), given.get("keytab"))
            : UserGroupInformation.getCurrentUser();
        user.doAs((PrivilegedExceptionAction<Void>) () -> {
            make(configuration, given);
            return null;
        });
    }

    private static void make(Configuration configuration, Map<String, String> given) throws Exception {
        Path directory = new Path(given.get("directory"));
        try (FileSystem files = FileSystem.get(configuration)) {
            files.mkdirs(directory);
            if (given.containsKey("key")) {
                new HdfsAdmin(files.getUri(), configuration)
                    .createEncryptionZone(directory, given.get("key"), EnumSet.noneOf(CreateEncryptionZoneFlag.class));
            }
            if (given.containsKey("owner")) {
                files.setOwner(directory, given.get("owner"), given.get("group"));
                files.setPermission(directory, new FsPermission(OWNER_WRITES_AND_GROUP_READS));
            }
        }
    }
}
