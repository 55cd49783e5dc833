package assay.client;

/** A check, or something that was noticed. */
public final class Finding {
    public final String check;
    public final Outcome outcome;
    /** The name of {@link #outcome}, also one that this version does not know; empty for none. */
    public final String outcomeName;
    /** A reason code for a failure, a word for a note, otherwise empty. */
    public final String code;
    public final String detail;

    Finding(Fields fields) throws Fields.Undecodable {
        check = fields.text("check");
        outcomeName = fields.name("outcome", "OUTCOME_");
        outcome = Fields.value(outcomeName, Outcome.UNSPECIFIED, Outcome.UNRECOGNIZED);
        code = fields.text("code");
        detail = fields.text("detail");
    }
}
