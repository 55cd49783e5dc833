package android.security.keystore;

/** Stub. */
public class KeyExpiredException extends java.security.InvalidKeyException {
    public KeyExpiredException() {
        super("stub");
    }
}
