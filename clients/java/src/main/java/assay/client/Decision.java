package assay.client;

/** What was decided. */
public enum Decision {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    ACCEPTED,
    REJECTED,
    /** Of records only: nothing was decided. */
    UNJUDGED,
    /** A value that this version does not know; the text beside it has it. */
    UNRECOGNIZED;
}
