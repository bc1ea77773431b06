import java.io.File;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A Kerberos server for tests, in memory: DIRECTORY PORT REALM, then NAME PRINCIPAL of each keytab DIRECTORY/NAME.keytab. */
public class Kdc {
    public static void main(String[] arguments) throws Exception {
        File directory = new File(arguments[0]);
        SimpleKdcServer server = new SimpleKdcServer();
        server.setWorkDir(directory);
        server.setKdcHost("127.0.0.1");
        server.setKdcTcpPort(Integer.parseInt(arguments[1]));
        server.setAllowUdp(false);
        server.setKdcRealm(arguments[2]);
        server.init();
        for (int index = 3; index < arguments.length; index += 2) {
            server.createPrincipal(arguments[index + 1]);
            File keytab = new File(directory, arguments[index] + ".keytab");
            server.exportPrincipal(arguments[index + 1], keytab);
            Files.setPosixFilePermissions(keytab.toPath(), PosixFilePermissions.fromString("rw-------"));
        }
        // Whoever can reach it finds the keytabs complete.
        server.start();
    }
}
