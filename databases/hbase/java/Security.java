package dbdyno;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLHandshakeException;
import javax.security.auth.login.LoginException;
import javax.security.sasl.SaslException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.UserGroupInformation;

/** What encryption and login need beside the settings of the address. */
final class Security {
    /** Who logs in, if anybody does; the name is login.rs's. */
    static final String PRINCIPAL = "dbdyno.principal";
    private static final String KERBEROS = "java.security.krb5.conf";
    /** The configuration of Kerberos that this process began with; null: the machine's. */
    private static final String FIRST = System.getProperty(KERBEROS);
    /** Connections with a login. */
    private static final List<WeakReference<Connection>> OPEN = new ArrayList<>();
    /** Users that have logged in, and whose connection is not there yet. */
    private static int connecting;
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

    /** The PEM file of the authorities that the address names; null where it names none. */
    static String authorities(Configuration configuration) {
        boolean named = "PEM".equals(configuration.get(AUTHORITIES + "type"));
        return named ? configuration.get(AUTHORITIES + "location") : null;
    }

    /** Who asks: whoever the address names, logged in, or whoever runs this process. */
    static synchronized User user(Configuration configuration) throws IOException, ReflectiveOperationException {
        String principal = configuration.get(PRINCIPAL);
        if (principal == null) {
            return User.getCurrent();
        }
        configureKerberos(configuration.get("dbdyno.krb5_conf"));
        // The login is this connection's own: another one may be somebody else's, or nobody's.
        UserGroupInformation.setConfiguration(configuration);
        String keytab = configuration.get("dbdyno.keytab");
        UserGroupInformation login = UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal, keytab);
        String other = configuration.get("dbdyno.do_as");
        User user = User.create(other == null ? login : UserGroupInformation.createProxyUser(other, login));
        connecting++;
        return user;
    }

    /** Ends what began with a user that logged in: with a connection, or without. */
    static synchronized void connected(Configuration configuration, Connection made) {
        if (configuration.get(PRINCIPAL) == null) {
            return;
        }
        connecting--;
        if (made != null) {
            OPEN.add(new WeakReference<>(made));
        }
    }

    /** Java knows one configuration of Kerberos at a time. It changes between connections with a login, never under one. */
    private static void configureKerberos(String file) throws ReflectiveOperationException {
        String wanted = file == null ? FIRST : file;
        String before = System.getProperty(KERBEROS);
        if (!Objects.equals(wanted, before)) {
            OPEN.removeIf(reference -> {
                Connection connection = reference.get();
                return connection == null || connection.isClosed();
            });
            if (connecting > 0 || !OPEN.isEmpty()) {
                throw new IllegalArgumentException("krb5_conf=" + (file == null ? "" : file) + " cannot be used while connections"
                    + " with " + (before == null ? "that of this machine" : before)
                    + " are open: Java takes one only; put both realms into one file");
            }
            if (wanted == null) {
                System.clearProperty(KERBEROS);
            } else {
                System.setProperty(KERBEROS, wanted);
            }
        }
        // Java remembers what it has read, and a connection without a login may have made it look for a realm.
        Class.forName("sun.security.krb5.Config").getMethod("refresh").invoke(null);
    }

    /** Whether a failure means that this client and that server will not come together, however often it is tried. */
    static boolean refuses(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLHandshakeException || cause instanceof LoginException
                || cause instanceof SaslException || cause instanceof AccessDeniedException) {
                return true;
            }
        }
        return false;
    }
}
