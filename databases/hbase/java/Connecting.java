package dbdyno;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.MasterNotRunningException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.security.User;

/** Making a connection, in a time that ends. */
final class Connecting implements Callable<Connection> {
    private static final long PAUSE_MILLISECONDS = 20;

    private final Configuration configuration;
    private volatile boolean abandoned;
    /** Why there is no answer yet: the first reason that the client itself saw. */
    private volatile Exception reason;

    private Connecting(Configuration configuration) {
        this.configuration = configuration;
    }

    /**
     * A connection whose master has answered. The client waits for ZooKeeper without a deadline of its own, and cannot be
     * told to stop: a thread that may be left alone does.
     */
    static Connection connect(Configuration configuration, int milliseconds) throws Exception {
        Connecting attempt = new Connecting(configuration);
        FutureTask<Connection> task = new FutureTask<>(attempt);
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
        } catch (TimeoutException late) {
            TimeoutException told = new TimeoutException("no answer within " + milliseconds + " ms");
            told.initCause(attempt.reason);
            throw told;
        } finally {
            attempt.abandoned = connection == null;
            thread.interrupt();
        }
    }

    @Override
    public Connection call() throws Exception {
        // A connection that is to last tries again until its operation's time is over, and then no longer knows why. So the
        // first questions go over one that does not try again.
        Configuration once = new Configuration(configuration);
        once.setInt("hbase.client.retries.number", 0);
        User user = Security.user(configuration);
        Connection made = null;
        try {
            try (Connection asking = ConnectionFactory.createConnection(once, user)) {
                while (!answers(asking)) {
                    Thread.sleep(PAUSE_MILLISECONDS);
                }
            }
            made = ConnectionFactory.createConnection(configuration, user);
        } finally {
            Security.connected(configuration, made);
        }
        if (abandoned) {
            made.close();
        }
        return made;
    }

    /** Whether the master answers. Where it will not do so later either, the reason is thrown. */
    private boolean answers(Connection connection) throws Exception {
        try (Admin admin = connection.getAdmin()) {
            admin.getClusterMetrics();
            return true;
        } catch (IOException failure) {
            Exception cause = bare(failure);
            if (reason == null && configuration.get(Security.PRINCIPAL) == null) {
                cause = Refusal.of(cause, configuration);
            }
            // An interrupt ends a wait of the client's, and is forgotten there.
            if (abandoned || Security.refuses(cause)) {
                throw cause;
            }
            if (reason == null) {
                reason = cause;
            }
            return false;
        }
    }

    /** Without what only says that there was a failure. */
    private static Exception bare(Exception failure) {
        Exception bare = failure;
        while ((bare instanceof RetriesExhaustedException || bare instanceof MasterNotRunningException)
            && bare.getCause() instanceof Exception) {
            bare = (Exception) bare.getCause();
        }
        return bare;
    }
}
