package dbdyno;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.LogManager;

/** One conversation with the Rust side: a call's arguments and its answer lie in one reused array. */
public abstract class Channel {
    private byte[] buffer = new byte[4096];
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

    /** From the next call on, a call that takes longer is interrupted and fails with a TimeoutException; 0 is no limit. */
    protected final void limit(long milliseconds) {
        limit = milliseconds;
    }

    /** Answers one operation: reads its arguments, then calls begin() and writes the answer. */
    protected abstract void handle(int operation) throws Exception;

    /** The array, at least this long. */
    public final byte[] reserve(int length) {
        if (buffer.length < length) {
            buffer = Arrays.copyOf(buffer, Math.max(length, buffer.length * 2));
        }
        return buffer;
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

    /** Length of the answer; of the error's text, as -1 - length, when it failed. */
    public final int call(int operation, int length) {
        at = 0;
        end = length;
        if (watchedLimit != limit) {
            watch = limit > 0 ? new Watch(limit) : null;
            watchedLimit = limit;
        }
        try {
            watched(operation);
            return at;
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
            return -1 - at;
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
        int value = (buffer[at] & 255) << 24 | (buffer[at + 1] & 255) << 16 | (buffer[at + 2] & 255) << 8
            | (buffer[at + 3] & 255);
        at += 4;
        return value;
    }

    protected final byte[] readBytes() {
        int length = readInt();
        if (length < 0 || at + length > end) {
            throw new IllegalStateException("a request ended early");
        }
        byte[] value = Arrays.copyOfRange(buffer, at, at + length);
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
        buffer[mark] = (byte) (value >> 24);
        buffer[mark + 1] = (byte) (value >> 16);
        buffer[mark + 2] = (byte) (value >> 8);
        buffer[mark + 3] = (byte) value;
    }

    protected final void writeInt(int value) {
        reserve(at + 4);
        at += 4;
        fill(at - 4, value);
    }

    protected final void write(byte[] value) {
        write(value, 0, value.length);
    }

    protected final void write(byte[] value, int offset, int length) {
        writeInt(length);
        reserve(at + length);
        System.arraycopy(value, offset, buffer, at, length);
        at += length;
    }

    protected final void writeText(String value) {
        write(value.getBytes(StandardCharsets.UTF_8));
    }
}
