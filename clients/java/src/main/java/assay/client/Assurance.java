package assay.client;

/** How strong evidence is, the weakest first. */
public enum Assurance {
    /** A value that this version does not know; the text beside it has it. It is no assurance. */
    UNRECOGNIZED,
    NONE,
    SOFTWARE,
    /** Only the vendor's statement. */
    PLATFORM,
    /** A trusted execution environment. */
    HARDWARE,
    /** Secure Enclave, StrongBox. */
    SECURE_ELEMENT;

    public boolean isAtLeast(Assurance least) {
        return compareTo(least) >= 0;
    }
}
