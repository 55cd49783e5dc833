package assay.client;

/** What a generic call says of itself. The setters return the object itself. */
public final class CallOptions {
    boolean isIdempotent;
    String idempotencyKey;

    public CallOptions() {}

    /** Whether a second call does no more than the first: then it may be repeated. */
    public CallOptions idempotent(boolean isIdempotent) {
        this.isIdempotent = isIdempotent;
        return this;
    }

    /** 1 to 64 characters of ! to ~: under it the call may be repeated. None is made. */
    public CallOptions idempotencyKey(String key) {
        this.idempotencyKey = key;
        return this;
    }
}
