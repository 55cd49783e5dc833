package android.security.keystore;

/** Stub. */
public class StrongBoxUnavailableException extends java.security.ProviderException {
    public StrongBoxUnavailableException() {
        super("stub");
    }
}
