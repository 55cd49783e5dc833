package assay.client;

/** The state of a device. */
public enum DeviceState {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    ACTIVE,
    BLOCKED,
    /** A value that this version does not know; the text beside it has it. */
    UNRECOGNIZED;
}
