/// The forms in which a verdict can be signed for others than the caller that asked: attestation results (RFC 9334 §8.4), and tokens that rest on
/// one. The version of the text that each follows is in `AssayResults`.
public enum ResultShape: String, CaseIterable, Hashable, Sendable {
    /// An Entity Attestation Result as a JWT (draft-ietf-rats-ear).
    case earJWT = "ear-jwt"
    /// The same as a CWT.
    case earCWT = "ear-cwt"
    /// A JWT by which a device that has just proved itself is known for a while, bound to its key.
    case session
    /// OAuth's client attestation (draft-ietf-oauth-attestation-based-client-auth).
    case clientAttestation = "client-attestation"
    /// The EU wallet's instance attestation (TS3).
    case walletInstance = "wallet-instance"
    /// The EU wallet's key attestation (TS3, OpenID4VCI).
    case keyAttestation = "key-attestation"
    /// The verdict's own JSON as a JWS.
    case plainJWS = "plain-jws"
    /// The verdict's own protobuf message as a COSE_Sign1.
    case plainCOSE = "plain-cose"

    /// Whether the token is bytes (CBOR) rather than ASCII text.
    public var isBinary: Bool { self == .earCWT || self == .plainCOSE }
}
