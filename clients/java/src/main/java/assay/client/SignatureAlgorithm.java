package assay.client;

/** How a signature was made. */
public enum SignatureAlgorithm {
    /** The value of a member that is left out. */
    UNSPECIFIED,
    /** DER, as Android's {@code Signature} makes it. */
    ECDSA_P256_SHA256,
    ECDSA_P384_SHA384,
    /** The salt is as long as the hash. */
    RSA_PSS_SHA256,
    RSA_PKCS1_SHA256,
    ED25519,
    ML_DSA_65,
    ML_DSA_87,
    ECDSA_P384_SHA256
}
