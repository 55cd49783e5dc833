package assay.client;

/** Why evidence would be rejected if the app enforced the verdict. */
public final class WouldReject {
    public final String reason;
    public final String detail;
    public final String check;
    /** What may be done. */
    public final Retry retry;
    /** The name of {@link #retry}, also one that this version does not know; empty for none. */
    public final String retryName;

    WouldReject(Fields fields) throws Fields.Undecodable {
        reason = fields.text("reason");
        detail = fields.text("detail");
        check = fields.text("check");
        retryName = fields.name("retry", "RETRY_CLASS_");
        retry = Fields.value(retryName, Retry.UNSPECIFIED, Retry.UNRECOGNIZED);
    }
}
