package assay.client;

/** Why a device was not provisioned. */
public final class ProvisioningRejection {
    /** A stable code of {@code docs/reference/reason-codes.md}. */
    public final String reason;
    public final String detail;
    /** What may be done. */
    public final Retry retry;
    /** The name of {@link #retry}, also one that this version does not know; empty for none. */
    public final String retryName;

    ProvisioningRejection(Fields fields) throws Fields.Undecodable {
        reason = fields.text("reason");
        detail = fields.text("detail");
        retryName = fields.name("retry", "RETRY_CLASS_");
        retry = Fields.value(retryName, Retry.UNSPECIFIED, Retry.UNRECOGNIZED);
    }
}
