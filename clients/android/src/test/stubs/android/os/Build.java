package android.os;

/** Stub: the members that the library uses, with the signatures of the public API. Tests set SDK_INT, which is final on a phone. */
public class Build {
    public static class VERSION {
        public static int SDK_INT = 36;
    }

    public static class VERSION_CODES {
        public static final int P = 28;
        public static final int S = 31;
        public static final int TIRAMISU = 33;
    }
}
