package dbdyno;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.LogManager;

/** One conversation with the Rust side: a call's arguments and its answer lie in memory that both sides see. */
public abstract class Channel {
    /** In the result of a call: the answer lies in another buffer than before. */
    private static final int MOVED = 1 << 30;

    private ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    private boolean moved;
    private int at;
    private int end;
    private Channel child;
    private Watch watch;
    private long limit;
    private long watchedLimit;

    static {
        // A load generator's standard error is not the place for a library's log.
        if (System.getProperty("java.util.logging.config.file") == null) {
            LogManager.getLogManager().getLogger("").setLevel(Level.OFF);
        }
        silenceMissingLogger();
    }

    /** SLF4J complains on standard error when the jars bring no logger for it. */
    private static void silenceMissingLogger() {
        ClassLoader loader = Channel.class.getClassLoader();
        if (loader.getResource("org/slf4j/impl/StaticLoggerBinder.class") != null
            || loader.getResource("META-INF/services/org.slf4j.spi.SLF4JServiceProvider") != null) {
            return;
        }
        // Each class loader has a Channel of its own, and all of them one standard error: two at a time would leave it silenced.
        synchronized (System.class) {
            PrintStream errors = System.err;
            System.setErr(new PrintStream(OutputStream.nullOutputStream()));
            try {
                loader.loadClass("org.slf4j.LoggerFactory").getMethod("getILoggerFactory").invoke(null);
                loader.loadClass("org.slf4j.MDC").getMethod("get", String.class).invoke(null, "dbdyno");
            } catch (ReflectiveOperationException | LinkageError none) {
                // Without SLF4J there is nothing to silence.
            } finally {
                System.setErr(errors);
            }
        }
    }

    /** From the next call on, a call that takes longer is interrupted and fails with a TimeoutException; 0 is no limit. */
    protected final void limit(long milliseconds) {
        limit = milliseconds;
    }

    /** Answers one operation: reads its arguments, then calls begin() and writes the answer. */
    protected abstract void handle(int operation) throws Exception;

    /** The buffer, at least this long: for the Rust side, which from now on knows where it is. */
    public final ByteBuffer reserve(int length) {
        room(length);
        moved = false;
        return buffer;
    }

    private void room(int length) {
        if (buffer.capacity() < length) {
            ByteBuffer larger = ByteBuffer.allocateDirect(Math.max(length, buffer.capacity() * 2));
            buffer.clear();
            larger.put(buffer);
            buffer = larger;
            moved = true;
        }
    }

    /** The channel that the last operation opened. */
    public final Channel takeChild() {
        Channel opened = child;
        child = null;
        return opened;
    }

    protected final void giveChild(Channel opened) {
        child = opened;
    }

    /** Length of the answer, with MOVED where it is; as -1 - that, when the answer is an error's text. */
    public final int call(int operation, int length) {
        at = 0;
        end = length;
        if (watchedLimit != limit) {
            watch = limit > 0 ? new Watch(limit) : null;
            watchedLimit = limit;
        }
        try {
            watched(operation);
            return moved ? at | MOVED : at;
        } catch (Throwable failure) {
            begin();
            StringBuilder names = new StringBuilder();
            StringBuilder text = new StringBuilder();
            int depth = 0;
            for (Throwable cause = failure; cause != null && depth < 8; cause = cause.getCause(), depth++) {
                for (Class<?> kind = cause.getClass(); kind != null && kind != Object.class; kind = kind.getSuperclass()) {
                    names.append(kind.getName()).append(' ');
                }
                if (depth > 0) {
                    text.append("; caused by ");
                }
                text.append(cause.getClass().getSimpleName()).append(": ").append(cause.getMessage());
            }
            // An exception's text may hold a stack trace; its first lines say what happened.
            String said = text.length() > 600 ? text.substring(0, 600) : text.toString();
            write(names.toString().getBytes(StandardCharsets.UTF_8));
            write(said.replace('\n', ' ').getBytes(StandardCharsets.UTF_8));
            return -1 - (moved ? at | MOVED : at);
        }
    }

    private void watched(int operation) throws Throwable {
        if (watch == null) {
            handle(operation);
            return;
        }
        Throwable failed = null;
        watch.begin();
        try {
            handle(operation);
        } catch (Throwable failure) {
            failed = failure;
        }
        boolean late = watch.end();
        if (failed == null) {
            return;
        }
        if (late) {
            Throwable timeout = new TimeoutException("no answer within " + limit + " ms");
            timeout.initCause(failed);
            throw timeout;
        }
        throw failed;
    }

    protected final void begin() {
        at = 0;
        end = Integer.MAX_VALUE;
    }

    protected final int readInt() {
        if (at + 4 > end) {
            throw new IllegalStateException("a request ended early");
        }
        at += 4;
        return buffer.getInt(at - 4);
    }

    protected final byte[] readBytes() {
        int length = readInt();
        if (length < 0 || at + length > end) {
            throw new IllegalStateException("a request ended early");
        }
        byte[] value = new byte[length];
        buffer.position(at);
        buffer.get(value);
        at += length;
        return value;
    }

    protected final String readText() {
        return new String(readBytes(), StandardCharsets.UTF_8);
    }

    protected final int mark() {
        writeInt(0);
        return at - 4;
    }

    protected final void fill(int mark, int value) {
        buffer.putInt(mark, value);
    }

    protected final void writeInt(int value) {
        room(at + 4);
        buffer.putInt(at, value);
        at += 4;
    }

    protected final void write(byte[] value) {
        write(value, 0, value.length);
    }

    protected final void write(byte[] value, int offset, int length) {
        writeInt(length);
        room(at + length);
        buffer.position(at);
        buffer.put(value, offset, length);
        at += length;
    }

    protected final void writeText(String value) {
        write(value.getBytes(StandardCharsets.UTF_8));
    }
}
