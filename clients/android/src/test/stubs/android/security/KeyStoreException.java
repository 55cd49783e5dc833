package android.security;

/** Stub: the public members. On a phone there is no public constructor. */
public class KeyStoreException extends Exception {
    private final int code, retryPolicy;
    private final boolean isTransient, isSystem, needsUser;

    public KeyStoreException(int code, String message, boolean isTransient, boolean isSystem, boolean needsUser, int retryPolicy) {
        super(message);
        this.code = code;
        this.isTransient = isTransient;
        this.isSystem = isSystem;
        this.needsUser = needsUser;
        this.retryPolicy = retryPolicy;
    }

    public int getNumericErrorCode() {
        return code;
    }

    public boolean isTransientFailure() {
        return isTransient;
    }

    public boolean requiresUserAuthentication() {
        return needsUser;
    }

    public boolean isSystemError() {
        return isSystem;
    }

    public int getRetryPolicy() {
        return retryPolicy;
    }
}
