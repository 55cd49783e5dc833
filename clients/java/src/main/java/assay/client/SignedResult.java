package assay.client;

/** What came of a result that was asked for. */
public final class SignedResult {
    public final ResultShape shape;
    /** The name of {@link #shape}, also one that this version does not know; empty for none. */
    public final String shapeName;
    public final String audience;
    /** A token in ASCII; empty if there is none. */
    public final String text;
    /** A token in CBOR; empty if there is none. */
    public final byte[] binary;
    /** Why nothing was signed: a stable word; empty if something was. */
    public final String problem;
    public final long expiresAtUnixMs;

    SignedResult(Fields fields) throws Fields.Undecodable {
        shapeName = fields.name("shape", "RESULT_SHAPE_");
        shape = Fields.value(shapeName, ResultShape.UNSPECIFIED, ResultShape.UNRECOGNIZED);
        audience = fields.text("audience");
        text = fields.text("text");
        binary = fields.bytes("binary");
        problem = fields.message("problem", members -> members.text("code"));
        expiresAtUnixMs = fields.integer("expiresAtUnixMs");
    }
}
