package assay.client;

/** How evidence was bound. */
public enum BindingMode {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    CLIENT_DATA,
    EMBEDDED,
    CALLER_OWNED,
    IN_EVIDENCE,
    /** A value that this version does not know; the text beside it has it. */
    UNRECOGNIZED;
}
