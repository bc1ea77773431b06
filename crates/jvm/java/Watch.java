package dbdyno;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The longest time that a channel's calls may take. One thread looks at all channels and interrupts what is late. */
final class Watch {
    private static final long STEP_MILLISECONDS = 10;
    private static final long IDLE = 0;
    private static final long INTERRUPTED = -1;
    private static final long INTERRUPTING = -2;
    private static final long ORIGIN = System.nanoTime();
    private static final Set<Watch> ALL = Collections.newSetFromMap(new WeakHashMap<>());

    /** One of the above, or the time since ORIGIN at which the running call began, nanoseconds, at least 1. */
    private final AtomicLong state = new AtomicLong(IDLE);
    private final long limit;
    private volatile Thread caller;

    static {
        Thread watcher = new Thread(Watch::watch, "dbdyno-watch");
        watcher.setDaemon(true);
        watcher.start();
    }

    Watch(long milliseconds) {
        limit = milliseconds * 1_000_000;
        synchronized (ALL) {
            ALL.add(this);
        }
    }

    void begin() {
        caller = Thread.currentThread();
        state.set(System.nanoTime() - ORIGIN + 1);
    }

    /** Whether the call was late. No interrupt of ours comes after this. */
    boolean end() {
        while (true) {
            long was = state.get();
            if (was == INTERRUPTING) {
                Thread.onSpinWait();
            } else if (state.compareAndSet(was, IDLE)) {
                if (was == INTERRUPTED) {
                    Thread.interrupted();
                }
                return was == INTERRUPTED;
            }
        }
    }

    private static void watch() {
        while (true) {
            try {
                Thread.sleep(STEP_MILLISECONDS);
            } catch (InterruptedException nobodyDoes) {
                return;
            }
            synchronized (ALL) {
                ALL.forEach(Watch::look);
            }
        }
    }

    private void look() {
        long was = state.get();
        // A library may swallow an interrupt and wait on: then it gets another one.
        boolean late = was == INTERRUPTED || was > 0 && System.nanoTime() - ORIGIN + 1 - was > limit;
        if (late && state.compareAndSet(was, INTERRUPTING)) {
            caller.interrupt();
            state.set(INTERRUPTED);
        }
    }
}
