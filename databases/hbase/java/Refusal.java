package dbdyno;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.exceptions.ConnectionClosedException;
import org.apache.hadoop.hbase.security.AccessDeniedException;

/**
 * Why a server ends the connections of a client that does not log in. It says so before, in an answer to no question, which
 * the client throws away: so the question is asked once more, by hand.
 */
final class Refusal {
    private static final int LONGEST_WAIT_MILLISECONDS = 2000;
    private static final int LONGEST_ANSWER_BYTES = 16_384;
    /** How HBase's protocol begins: its name, version 0, and no login. */
    private static final byte[] PREAMBLE = {'H', 'B', 'a', 's', 0, 80};
    /** How the client says where a call went. */
    private static final Pattern ADDRESS = Pattern.compile("address=([^ ]+):(\\d+) ");

    private Refusal() {}

    /** The server's own word, when it wants a login; otherwise the failure. */
    static Exception of(Exception failure, Configuration configuration) {
        Matcher address = ADDRESS.matcher(String.valueOf(failure.getMessage()));
        if (!(failure instanceof ConnectionClosedException) || !address.find()) {
            return failure;
        }
        try {
            return wantsLogin(address.group(1), Integer.parseInt(address.group(2)), configuration)
                ? new AccessDeniedException("authentication is required by " + address.group(1) + ":" + address.group(2))
                : failure;
        } catch (IOException | ReflectiveOperationException unknown) {
            return failure;
        }
    }

    private static boolean wantsLogin(String host, int port, Configuration configuration)
        throws IOException, ReflectiveOperationException {
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), LONGEST_WAIT_MILLISECONDS);
            plain.setSoTimeout(LONGEST_WAIT_MILLISECONDS);
            boolean encrypted = configuration.getBoolean("hbase.client.netty.tls.enabled", false);
            Socket socket = encrypted
                ? context(configuration).getSocketFactory().createSocket(plain, host, port, true) : plain;
            socket.getOutputStream().write(PREAMBLE);
            DataInputStream input = new DataInputStream(socket.getInputStream());
            int length = input.readInt();
            if (length <= 0 || length > LONGEST_ANSWER_BYTES) {
                return false;
            }
            byte[] answer = new byte[length];
            input.readFully(answer);
            return new String(answer, StandardCharsets.ISO_8859_1).contains(AccessDeniedException.class.getName());
        }
    }

    /** What the client encrypts with. Versions before 2.6 have none of these classes, and must compile all the same. */
    private static SSLContext context(Configuration configuration) throws ReflectiveOperationException {
        Object context = Class.forName("org.apache.hadoop.hbase.io.crypto.tls.X509Util")
            .getMethod("createSslContextForClient", Configuration.class).invoke(null, configuration);
        return (SSLContext) Class.forName("org.apache.hbase.thirdparty.io.netty.handler.ssl.JdkSslContext")
            .getMethod("context").invoke(context);
    }
}
