package android.security.keystore;

/** Stub. */
public class KeyPermanentlyInvalidatedException extends java.security.InvalidKeyException {
    public KeyPermanentlyInvalidatedException() {
        super("stub");
    }
}
