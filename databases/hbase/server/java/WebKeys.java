import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts a key and its certificates into a key store, which is all that Hadoop's web servers read: PEM-FILE STORE. The password
 * is in the environment.
 */
public class WebKeys {
    private static final String[] ALGORITHMS = {"EC", "RSA", "EdDSA"};

    public static void main(String[] arguments) throws Exception {
        String text = Files.readString(Path.of(arguments[0]));
        char[] password = System.getenv("DBDYNO_KEY_STORE").toCharArray();
        Certificate[] certificates =
            CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(sections(text, "CERTIFICATE").getBytes(StandardCharsets.US_ASCII)))
                .toArray(new Certificate[0]);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("web", key(sections(text, "PRIVATE KEY")), password, certificates);
        Path path = Path.of(arguments[1]);
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (OutputStream file = Files.newOutputStream(path)) {
            store.store(file, password);
        }
    }

    /** The sections of one kind, without what stands between them. */
    private static String sections(String text, String kind) {
        Matcher section = Pattern.compile("-----BEGIN " + kind + "-----.*?-----END " + kind + "-----", Pattern.DOTALL).matcher(text);
        StringBuilder found = new StringBuilder();
        while (section.find()) {
            found.append(section.group()).append('\n');
        }
        if (found.length() == 0) {
            throw new IllegalArgumentException("the file of the server's certificate has no section `" + kind + "` (of PKCS #8, for a key)");
        }
        return found.toString();
    }

    private static PrivateKey key(String section) throws Exception {
        String encoded = section.replaceAll("-----[A-Z ]+-----", "");
        PKCS8EncodedKeySpec specification = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(encoded));
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(specification);
            } catch (InvalidKeySpecException other) {
                // It is of another kind.
            }
        }
        throw new IllegalArgumentException("the server's key is of no kind that Java knows");
    }
}
