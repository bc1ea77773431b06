package dbdyno;

import java.net.SocketTimeoutException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;

/** Making a connection, in a time that ends. */
final class Connecting {
    private Connecting() {}

    /**
     * A connection whose master has answered. The client waits for ZooKeeper without a deadline of its own, and cannot be
     * told to stop: a thread that may be left alone does.
     */
    static Connection connect(Configuration configuration, int milliseconds) throws Exception {
        AtomicBoolean abandoned = new AtomicBoolean();
        FutureTask<Connection> task = new FutureTask<>(() -> answering(configuration, abandoned));
        Thread thread = new Thread(task, "dbdyno-connect");
        thread.setDaemon(true);
        thread.setContextClassLoader(Connecting.class.getClassLoader());
        thread.start();
        Connection connection = null;
        try {
            connection = task.get(milliseconds, TimeUnit.MILLISECONDS);
            return connection;
        } catch (ExecutionException failure) {
            throw failure.getCause() instanceof Exception ? (Exception) failure.getCause() : failure;
        } finally {
            abandoned.set(connection == null);
            thread.interrupt();
        }
    }

    private static Connection answering(Configuration configuration, AtomicBoolean abandoned) throws Exception {
        Connection made = ConnectionFactory.createConnection(configuration);
        try {
            while (!answers(made)) {
                // The first answer may take longer than an operation: this may take as long as connecting may.
            }
        } catch (Exception failure) {
            made.close();
            throw failure;
        }
        if (abandoned.get()) {
            made.close();
        }
        return made;
    }

    /** Whether the master answers in the time of an operation. */
    private static boolean answers(Connection connection) throws Exception {
        try (Admin admin = connection.getAdmin()) {
            admin.getClusterMetrics();
            return true;
        } catch (SocketTimeoutException | TimeoutIOException late) {
            return false;
        }
    }
}
