package dbdyno;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * HBase orders writes by the milliseconds of its own clock, and what a deletion hides it hides from all of its
 * millisecond: a record that is inserted right after its deletion would not be seen. So a write to a key waits until a
 * millisecond has passed since a deletion there was acknowledged.
 */
final class Deletions {
    private static final AtomicLongArray WHEN_NANOSECONDS = new AtomicLongArray(4096);
    private static volatile boolean any;

    private Deletions() {}

    private static int place(byte[] key) {
        return Arrays.hashCode(key) & (WHEN_NANOSECONDS.length() - 1);
    }

    static void done(byte[] key) {
        any = true;
        WHEN_NANOSECONDS.set(place(key), System.nanoTime() | 1);
    }

    static byte[] passed(byte[] key) {
        if (any) {
            long when = WHEN_NANOSECONDS.get(place(key));
            long left = when == 0 ? 0 : when + 1_000_000 - System.nanoTime();
            while (left > 0) {
                LockSupport.parkNanos(left);
                left = when + 1_000_000 - System.nanoTime();
            }
        }
        return key;
    }
}
