package dbdyno;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.util.VersionInfo;

/** What the live cluster says of itself. */
final class Facts {
    private Facts() {}

    static Map<String, String> of(Connection connection) throws IOException {
        Map<String, String> facts = new LinkedHashMap<>();
        try (Admin admin = connection.getAdmin()) {
            ClusterMetrics metrics = admin.getClusterMetrics();
            facts.put("version", String.valueOf(metrics.getHBaseVersion()));
            facts.put("region_servers", String.valueOf(metrics.getLiveServerMetrics().size()));
            facts.put("dead_region_servers", String.valueOf(metrics.getDeadServerNames().size()));
            facts.put("standby_masters", String.valueOf(metrics.getBackupMasterNames().size()));
            facts.put("regions", String.valueOf(metrics.getRegionCount()));
            long heap = 0;
            for (ServerMetrics server : metrics.getLiveServerMetrics().values()) {
                heap = Math.max(heap, (long) server.getMaxHeapSize().get(Size.Unit.MEGABYTE));
            }
            facts.put("largest_heap", heap + " MiB");
        }
        Hdfs.tell(connection.getConfiguration(), facts);
        facts.put("client", VersionInfo.getVersion());
        return facts;
    }
}
