package android.security.keystore;

/** Stub. */
public class UserNotAuthenticatedException extends java.security.InvalidKeyException {
    public UserNotAuthenticatedException() {
        super("stub");
    }
}
