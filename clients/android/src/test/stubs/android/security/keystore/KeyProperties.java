package android.security.keystore;

/** Stub. */
public abstract class KeyProperties {
    public static final int PURPOSE_SIGN = 1 << 2;
    public static final String KEY_ALGORITHM_EC = "EC";
    public static final String DIGEST_SHA256 = "SHA-256";
}
