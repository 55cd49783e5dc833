package assay.client;

/** A device as it is now, not as it was at a verdict. */
public enum RegistryState {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    REGISTERED,
    BLOCKED,
    /** Another device took its place since. */
    REPLACED,
    /** A value that this version does not know; the text beside it has it. */
    UNRECOGNIZED;
}
