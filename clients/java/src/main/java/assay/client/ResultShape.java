package assay.client;

/** A signed form of a verdict. {@code docs/reference/results.md} says which text each follows. */
public enum ResultShape {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    EAR_JWT,
    EAR_CWT,
    SESSION,
    CLIENT_ATTESTATION,
    WALLET_INSTANCE,
    KEY_ATTESTATION,
    PLAIN_JWS,
    PLAIN_COSE,
    /** A value that this version does not know; the text beside it has it. */
    UNRECOGNIZED;
}
