package android.security.keystore;

/** Stub. */
public class BackendBusyException extends java.security.ProviderException {
    private final long backOffHintMillis;

    public BackendBusyException(long backOffHintMillis) {
        this.backOffHintMillis = backOffHintMillis;
    }

    public long getBackOffHintMillis() {
        return backOffHintMillis;
    }
}
