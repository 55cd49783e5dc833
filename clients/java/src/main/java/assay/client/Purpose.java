package assay.client;

/** What a challenge is for. A challenge, the evidence and the method must agree on it. */
public enum Purpose {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    /** A new key is attested and the device registered. */
    REGISTER,
    /** A registered device proves itself. */
    ASSERT,
    /** A device certificate is issued. */
    PROVISION,
    /** A device certificate is renewed. */
    RENEW
}
