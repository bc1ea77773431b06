package dbdyno;

import java.io.OutputStream;
import java.io.PrintStream;

/** The client (RpcRetryingCallerWithReadReplicas) prints the stack of failures that it throws as well. */
final class QuietErrors extends OutputStream {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private final PrintStream errors;

    private QuietErrors(PrintStream errors) {
        this.errors = errors;
    }

    /** From now on, what is printed below a call of ours goes nowhere. */
    static void install() {
        System.setErr(new PrintStream(new QuietErrors(System.err), true));
    }

    @Override
    public void write(int single) {
        write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        // A package belongs to one class loader: the same name elsewhere is not ours. This very class is in every stack.
        boolean called = STACK.walk(frames -> frames.map(StackWalker.StackFrame::getDeclaringClass)
            .anyMatch(kind -> kind != QuietErrors.class && kind.getPackage() == QuietErrors.class.getPackage()));
        if (!called) {
            errors.write(bytes, offset, length);
        }
    }
}
