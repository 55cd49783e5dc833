package assay.client;

import java.util.Map;

/** Asks for a challenge. The setters return the request itself. */
public final class IssueChallengeRequest {
    private final String app;
    private final Purpose purpose;
    private byte[] context = new byte[0];
    private long ttlMs = 0;
    private String sourceAddress = "";

    public IssueChallengeRequest(String app, Purpose purpose) {
        this.app = app;
        this.purpose = purpose;
    }

    /** The caller's session or account, at most 64 bytes; must be repeated at {@code verify}. */
    public IssueChallengeRequest context(byte[] context) {
        this.context = context;
        return this;
    }

    /** How long the challenge is good. 0: the app's default. At most 1 hour. */
    public IssueChallengeRequest ttlMs(long ttlMs) {
        this.ttlMs = ttlMs;
        return this;
    }

    /** The IP address of the caller's own client, by which requests are counted where the app limits rates. */
    public IssueChallengeRequest sourceAddress(String sourceAddress) {
        this.sourceAddress = sourceAddress;
        return this;
    }

    Map<String, Object> json() {
        return new Members().text("app", app).name("purpose", "PURPOSE_", purpose).bytes("context", context).number("ttlMs", ttlMs)
                .text("sourceAddress", sourceAddress).finish();
    }
}
