package dbdyno;

import java.nio.file.Path;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hadoop.conf.Configuration;

/** What encryption needs beside the settings of the address. */
final class Security {
    private static final String AUTHORITIES = "hbase.rpc.tls.truststore.";
    /** That of the file of authorities that comes with Java; it protects nothing. */
    private static final String KNOWN_PASSWORD = "changeit";

    private Security() {}

    /** Refuses a client that would not encrypt, and names the authorities that Java trusts where the address names none. */
    static void prepare(Configuration configuration) {
        if (!configuration.getBoolean("hbase.client.netty.tls.enabled", false)) {
            return;
        }
        try {
            Class.forName("org.apache.hadoop.hbase.io.crypto.tls.X509Util");
        } catch (ClassNotFoundException old) {
            throw new IllegalArgumentException("the jars in class_path are of a client without TLS; version 2.6 has it");
        }
        if (configuration.get(AUTHORITIES + "location", "").isEmpty()) {
            Path file = Path.of(System.getProperty("java.home"), "lib", "security", "cacerts");
            // Without a file the client would take any certificate of these authorities, whatever its name.
            configuration.set(AUTHORITIES + "location", file.toString());
            // Java reads PKCS12 under this name, too.
            configuration.set(AUTHORITIES + "type", "JKS");
            configuration.set(AUTHORITIES + "password", KNOWN_PASSWORD);
        }
    }

    /** Whether a failure means that this client and that server will not come together, however often it is tried. */
    static boolean refuses(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLHandshakeException) {
                return true;
            }
        }
        return false;
    }
}
