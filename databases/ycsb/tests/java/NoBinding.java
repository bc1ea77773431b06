/** A class that is no binding. */
public final class NoBinding {
}
