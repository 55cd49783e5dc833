package assay.client;

/** What came of a check. */
public enum Outcome {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    PASS,
    FAIL,
    UNAVAILABLE,
    SKIPPED,
    NOTE,
    /** A value that this version does not know; the text beside it has it. */
    UNRECOGNIZED;
}
