package dbdyno;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivilegedExceptionAction;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;
import org.apache.hadoop.security.authentication.client.AuthenticationException;
import org.apache.hadoop.security.authentication.client.KerberosAuthenticator;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/**
 * What the HDFS below says of itself: HBase's client does not ask it. By Hadoop's documentation of WebHDFS (LISTSTATUS) and of
 * the NameNode's metrics (FSNamesystemState); blocks by its GET_BLOCK_LOCATIONS, which names them (NamenodeWebHdfsMethods).
 */
final class Hdfs {
    /** [https://]HOST:PORT/DIRECTORY of the NameNode's web server and of HBase's files; absent: nobody says where it is. */
    static final String ADDRESS = "dbdyno.webhdfs";
    static final String MILLISECONDS = "dbdyno.webhdfs.milliseconds";
    /** Who asks, where everybody must log in; the names are webhdfs.rs's. */
    static final String PRINCIPAL = "dbdyno.webhdfs.principal";
    static final String KEYTAB = "dbdyno.webhdfs.keytab";
    private static final String ENCRYPTED = "https://";

    private final String server;
    private final String root;
    private final int milliseconds;
    /** Null: nobody logs in. */
    private final UserGroupInformation login;
    /** Null: as Java does it by itself. */
    private final SSLSocketFactory encryption;
    /** What the server gave to whoever logged in. */
    private final AuthenticatedURL.Token token = new AuthenticatedURL.Token();

    private Hdfs(Configuration configuration) throws IOException, GeneralSecurityException {
        String address = configuration.get(ADDRESS);
        boolean encrypted = address.startsWith(ENCRYPTED);
        String place = encrypted ? address.substring(ENCRYPTED.length()) : address;
        int slash = place.indexOf('/');
        server = (encrypted ? ENCRYPTED : "http://") + place.substring(0, slash);
        root = place.substring(slash);
        milliseconds = configuration.getInt(MILLISECONDS, 1000);
        String principal = configuration.get(PRINCIPAL);
        login = principal == null
            ? null : UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal, configuration.get(KEYTAB));
        encryption = encrypted ? encryption(Security.authorities(configuration)) : null;
    }

    /** Adds the facts, where there is an address; refuses one that says nothing of HDFS. */
    static void tell(Configuration configuration, Map<String, String> facts) {
        String address = configuration.get(ADDRESS);
        if (address == null) {
            return;
        }
        try {
            Hdfs hdfs = new Hdfs(configuration);
            facts.put("hdfs_data_nodes", String.valueOf(hdfs.dataNodes()));
            hdfs.tellLogs(facts);
        } catch (IOException | GeneralSecurityException | IllegalStateException | ClassCastException | NullPointerException
            | IndexOutOfBoundsException | org.apache.hbase.thirdparty.com.google.gson.JsonParseException failure) {
            throw new IllegalArgumentException("webhdfs=" + address + " gave no facts about HDFS: " + failure);
        }
    }

    /** The blocks of a table's files by the names that DataNodes give them, those of a table that was dropped lately, too. */
    static List<String> blocks(Configuration configuration, String table) throws IOException, GeneralSecurityException {
        List<String> blocks = new ArrayList<>();
        if (configuration.get(ADDRESS) != null) {
            Hdfs hdfs = new Hdfs(configuration);
            for (String place : new String[] {"/data/default/", "/archive/data/default/"}) {
                hdfs.addBlocks(hdfs.root + place + table, blocks);
            }
        }
        return blocks;
    }

    private void addBlocks(String directory, List<String> blocks) throws IOException {
        JsonArray entries;
        try {
            entries = list(directory);
        } catch (FileNotFoundException moved) {
            return;
        }
        for (JsonElement entry : entries) {
            String name = text(entry, "pathSuffix");
            // Descriptions of tables and regions hold no records.
            if (name.startsWith(".")) {
                continue;
            }
            String path = directory + "/" + name;
            if ("DIRECTORY".equals(text(entry, "type"))) {
                addBlocks(path, blocks);
                continue;
            }
            JsonObject located = get("/webhdfs/v1" + path + "?op=GET_BLOCK_LOCATIONS").getAsJsonObject("LocatedBlocks");
            for (JsonElement block : located.getAsJsonArray("locatedBlocks")) {
                blocks.add("blk_" + text(block.getAsJsonObject().get("block"), "blockId"));
            }
        }
    }

    /** Trusts the authorities of this PEM file alone; null: as Java does it by itself. */
    private static SSLSocketFactory encryption(String authorities) throws IOException, GeneralSecurityException {
        if (authorities == null) {
            return null;
        }
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream file = Files.newInputStream(Path.of(authorities))) {
            for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                trusted.setCertificateEntry("authority" + trusted.size(), certificate);
            }
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    private int dataNodes() throws IOException {
        JsonObject answer = get("/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState");
        return answer.getAsJsonArray("beans").get(0).getAsJsonObject().get("NumLiveDataNodes").getAsInt();
    }

    /** The fewest copies that are kept of any log of writes, and whether HDFS encrypts all of them. */
    private void tellLogs(Map<String, String> facts) throws IOException {
        int fewest = Integer.MAX_VALUE;
        boolean encrypted = true;
        for (JsonElement directory : list(root + "/WALs")) {
            String name = root + "/WALs/" + text(directory, "pathSuffix");
            for (JsonElement file : list(name)) {
                if ("FILE".equals(text(file, "type"))) {
                    fewest = Math.min(fewest, file.getAsJsonObject().get("replication").getAsInt());
                    // Absent where it is false.
                    encrypted &= file.getAsJsonObject().has("encBit");
                }
            }
        }
        if (fewest == Integer.MAX_VALUE) {
            throw new IllegalStateException("no log of writes in " + root + "/WALs");
        }
        facts.put("hdfs_replication", String.valueOf(fewest));
        facts.put("hdfs_encryption_zone", encrypted ? "on" : "off");
    }

    private static String text(JsonElement element, String name) {
        return element.getAsJsonObject().get(name).getAsString();
    }

    private JsonArray list(String path) throws IOException {
        // The names of logs have commas and percent signs.
        String escaped = path.replace("%", "%25");
        return get("/webhdfs/v1" + escaped + "?op=LISTSTATUS").getAsJsonObject("FileStatuses").getAsJsonArray("FileStatus");
    }

    private JsonObject get(String request) throws IOException {
        HttpURLConnection connection = open(new URL(server + request));
        connection.setInstanceFollowRedirects(false);
        try {
            if (connection.getResponseCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                throw new FileNotFoundException("status 404 for " + request);
            }
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw new IOException("status " + connection.getResponseCode() + " for " + request);
            }
            try (Reader reader = new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)) {
                return JsonParser.parseReader(reader).getAsJsonObject();
            }
        } finally {
            connection.disconnect();
        }
    }

    private HttpURLConnection open(URL url) throws IOException {
        if (login == null) {
            return bounded((HttpURLConnection) url.openConnection());
        }
        try {
            return login.doAs((PrivilegedExceptionAction<HttpURLConnection>) () ->
                new AuthenticatedURL(new KerberosAuthenticator(), this::bounded).openConnection(url, token));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException(stopped);
        } catch (UndeclaredThrowableException wrapped) {
            if (wrapped.getCause() instanceof AuthenticationException) {
                throw new IOException(wrapped.getCause().getMessage(), wrapped.getCause());
            }
            throw wrapped;
        }
    }

    /** A connection whose waits end, and that trusts whom the address names. */
    private HttpURLConnection bounded(HttpURLConnection connection) {
        connection.setConnectTimeout(milliseconds);
        connection.setReadTimeout(milliseconds);
        if (encryption != null && connection instanceof HttpsURLConnection) {
            ((HttpsURLConnection) connection).setSSLSocketFactory(encryption);
        }
        return connection;
    }
}
