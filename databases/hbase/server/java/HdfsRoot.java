import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.security.UserGroupInformation;

/** Makes a directory that one user owns and one group can read: PRINCIPAL KEYTAB of the file system's own user, then DIRECTORY OWNER GROUP. */
public class HdfsRoot {
    private static final short OWNER_WRITES_AND_GROUP_READS = 0750;

    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new HdfsConfiguration();
        UserGroupInformation.setConfiguration(configuration);
        UserGroupInformation login = UserGroupInformation.loginUserFromKeytabAndReturnUGI(arguments[0], arguments[1]);
        login.doAs((PrivilegedExceptionAction<Void>) () -> {
            Path root = new Path(arguments[2]);
            try (FileSystem files = FileSystem.get(configuration)) {
                files.mkdirs(root);
                files.setOwner(root, arguments[3], arguments[4]);
                files.setPermission(root, new FsPermission(OWNER_WRITES_AND_GROUP_READS));
            }
            return null;
        });
    }
}
