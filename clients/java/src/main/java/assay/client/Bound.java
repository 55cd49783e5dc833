package assay.client;

/** What the device's signature covers. */
public final class Bound {
    public final BindingMode mode;
    /** The name of {@link #mode}, also one that this version does not know; empty for none. */
    public final String modeName;
    /** Empty where no payload is bound or only the caller knows. */
    public final byte[] payloadSha256;
    /** What the platform signed over. */
    public final byte[] clientDataHash;

    Bound(Fields fields) throws Fields.Undecodable {
        modeName = fields.name("mode", "MODE_");
        mode = Fields.value(modeName, BindingMode.UNSPECIFIED, BindingMode.UNRECOGNIZED);
        payloadSha256 = fields.bytes("payloadSha256");
        clientDataHash = fields.bytes("clientDataHash");
    }
}
