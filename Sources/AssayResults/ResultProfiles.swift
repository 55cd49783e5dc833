package import AssayCore

/// The texts that the shapes follow, and every constant that changes with their versions. docs/reference/results.md has the same versions.
package enum ResultProfiles {
    /// `eat_profile` of draft-ietf-rats-ear-04 §3. It changes with each revision of the draft.
    package static let ear = "tag:ietf.org,2026:rats/ear#04"
    /// The names and numbers of the trustworthiness vector.
    package static let trustVector = "draft-ietf-rats-ar4si-09"
    /// `status` of a token, and the published lists.
    package static let statusList = "draft-ietf-oauth-status-list-21"

    /// The text that a shape follows, by name and version, for people and for the issuer's metadata.
    package static func version(of shape: ResultShape) -> String {
        switch shape {
        case .earJWT, .earCWT: "draft-ietf-rats-ear-04"
        case .session: "assay.session.v1"
        case .clientAttestation: "draft-ietf-oauth-attestation-based-client-auth-10"
        case .walletInstance: "EUDI TS3 1.5"
        case .keyAttestation: "EUDI TS3 1.5, OpenID4VCI 1.0 Appendix D"
        case .plainJWS: "assay.verdict.v1"
        case .plainCOSE: "assay.verdict.v1, RFC 9597"
        }
    }

    /// `typ` of the header; of COSE it is header parameter 16 (RFC 9596).
    package static func type(of shape: ResultShape) -> String {
        switch shape {
        case .earJWT: "eat+jwt"
        case .earCWT: "application/eat+cwt"
        case .session: "assay-session+jwt"
        case .clientAttestation, .walletInstance: "oauth-client-attestation+jwt"
        case .keyAttestation: "key-attestation+jwt"
        case .plainJWS: "assay-verdict+jwt"
        case .plainCOSE: "application/assay-verdict+cose"
        }
    }

    /// The same of a plain result with this content.
    package static func type(of shape: ResultShape, _ content: PlainContent) -> String {
        guard content == .lookup, shape.isPlain else { return type(of: shape) }
        return shape.isBinary ? "application/assay-lookup+cose" : "assay-lookup+jwt"
    }

    /// A spelling of `typ` that a text has beside the usual one: read, never written. TS3's example and older drafts of OpenID4VCI.
    static let otherTypeOfKeyAttestation = "keyattestation+jwt"

    /// The content type of a COSE message with a verdict: header parameter 3 (RFC 9052 §3.1).
    static let contentTypeOfVerdict = "application/protobuf"

    /// A wallet's attestation is good for less than a day (TS3 §2.2.1), in milliseconds.
    static let longestWalletInstance: Int64 = 86_399_000
    /// What is revoked stays so in the lists for at least 31 days after a wallet's token was last shown (TS3 §2.4), in milliseconds.
    package static let statusPeriodOfWallet: Int64 = 31 * 86_400_000

    /// `ear_verifier_id` (draft-ietf-rats-ear-04 §3, draft-ietf-rats-ar4si-09 §3.3).
    static let developer = "Assay"
    static let build = "assayd \(Version.text)"

    /// The label of the one attester of an EAR: the device with its app. It never changes.
    static let submodule: StaticString = "device"
}

/// The labels of CWT claims (RFC 8392 §4, RFC 9711 §10.3, draft-ietf-rats-ear-04 §9.1, draft-ietf-oauth-status-list-21 §14).
enum CWTLabel {
    static let issuer: Int64 = 1
    static let audience: Int64 = 3
    static let expiresAt: Int64 = 4
    static let issuedAt: Int64 = 6
    static let identifier: Int64 = 7
    static let nonce: Int64 = 10
    static let profile: Int64 = 265
    static let submodules: Int64 = 266
    static let status: Int64 = 1000
    static let trustVector: Int64 = 1001
    static let policies: Int64 = 1003
    static let verifier: Int64 = 1004
    static let verifierClaims: Int64 = 1006
    static let statusReference: Int64 = 65_535
}

/// The header parameters of COSE (RFC 9052 §3.1, RFC 9360 §2, RFC 9596, RFC 9597).
enum COSELabel {
    static let algorithm: Int64 = 1
    static let contentType: Int64 = 3
    static let keyIdentifier: Int64 = 4
    static let claims: Int64 = 15
    static let type: Int64 = 16
    /// `x5chain`.
    static let certificates: Int64 = 33
}

extension ResultShape {
    /// Whether its claims name the issuer. Those of OAuth and of the EU wallet do not.
    package var namesIssuer: Bool {
        switch self {
        case .earJWT, .earCWT, .session, .plainJWS, .plainCOSE: true
        case .clientAttestation, .walletInstance, .keyAttestation: false
        }
    }

    /// Whether its claims name the audience. Those of the EU wallet do not: the profile has no such claim.
    package var namesAudience: Bool {
        switch self {
        case .earJWT, .earCWT, .session, .clientAttestation, .plainJWS, .plainCOSE: true
        case .walletInstance, .keyAttestation: false
        }
    }

    /// Whether it signs a message of the API as it is.
    package var isPlain: Bool {
        switch self {
        case .plainJWS, .plainCOSE: true
        case .earJWT, .earCWT, .session, .clientAttestation, .walletInstance, .keyAttestation: false
        }
    }

    /// Whether the key is always told by its certificates (`x5c`) rather than by `kid`. That of a key in memory is in every shape.
    package var hasCertificates: Bool {
        switch self {
        case .walletInstance, .keyAttestation: true
        case .earJWT, .earCWT, .session, .clientAttestation, .plainJWS, .plainCOSE: false
        }
    }

    /// Whether it has a place in a status list, if it is given one.
    package var takesStatus: Bool {
        switch self {
        case .earJWT, .earCWT, .session, .walletInstance, .keyAttestation: true
        case .clientAttestation, .plainJWS, .plainCOSE: false
        }
    }
}
