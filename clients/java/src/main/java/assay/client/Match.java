package assay.client;

/** Where a hash stands in what the device signed. */
public enum Match {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    /** It is the bound payload's. */
    PAYLOAD,
    /** The signed document of signals names it as a file of the capture. */
    MEDIA,
    /** A camera's signed bundle names it as the image's. */
    IMAGE,
    /** A value that this version does not know; the text beside it has it. */
    UNRECOGNIZED;
}
