package dbdyno;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/**
 * What the HDFS below says of itself: HBase's client does not ask it. By Hadoop's documentation of WebHDFS (LISTSTATUS) and of
 * the NameNode's metrics (FSNamesystemState).
 */
final class Hdfs {
    /** HOST:PORT/DIRECTORY of the NameNode's web server and of HBase's files; absent: nobody says where it is. */
    static final String ADDRESS = "dbdyno.webhdfs";
    static final String MILLISECONDS = "dbdyno.webhdfs.milliseconds";

    private final String server;
    private final String root;
    private final int milliseconds;

    private Hdfs(String address, int milliseconds) {
        int slash = address.indexOf('/');
        server = address.substring(0, slash);
        root = address.substring(slash);
        this.milliseconds = milliseconds;
    }

    /** Adds the facts, where there is an address. */
    static void tell(Configuration configuration, Map<String, String> facts) throws IOException {
        String address = configuration.get(ADDRESS);
        if (address == null) {
            return;
        }
        Hdfs hdfs = new Hdfs(address, configuration.getInt(MILLISECONDS, 1000));
        try {
            facts.put("hdfs_data_nodes", String.valueOf(hdfs.dataNodes()));
            facts.put("hdfs_replication", String.valueOf(hdfs.fewestCopies()));
        } catch (IOException | IllegalStateException | ClassCastException | NullPointerException | IndexOutOfBoundsException
            | org.apache.hbase.thirdparty.com.google.gson.JsonParseException failure) {
            throw new IOException("webhdfs=" + address + " does not tell of HDFS: " + failure, failure);
        }
    }

    private int dataNodes() throws IOException {
        JsonObject answer = get("/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState");
        return answer.getAsJsonArray("beans").get(0).getAsJsonObject().get("NumLiveDataNodes").getAsInt();
    }

    /** The fewest copies that are kept of any log of writes. */
    private int fewestCopies() throws IOException {
        int fewest = Integer.MAX_VALUE;
        for (JsonElement directory : list(root + "/WALs")) {
            String name = root + "/WALs/" + text(directory, "pathSuffix");
            for (JsonElement file : list(name)) {
                if ("FILE".equals(text(file, "type"))) {
                    fewest = Math.min(fewest, file.getAsJsonObject().get("replication").getAsInt());
                }
            }
        }
        if (fewest == Integer.MAX_VALUE) {
            throw new IllegalStateException("no log of writes in " + root + "/WALs");
        }
        return fewest;
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
        HttpURLConnection connection = (HttpURLConnection) new URL("http://" + server + request).openConnection();
        connection.setConnectTimeout(milliseconds);
        connection.setReadTimeout(milliseconds);
        connection.setInstanceFollowRedirects(false);
        try {
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
}
