package android.security.keystore;

/** Stub. */
public class KeyNotYetValidException extends java.security.InvalidKeyException {
    public KeyNotYetValidException() {
        super("stub");
    }
}
