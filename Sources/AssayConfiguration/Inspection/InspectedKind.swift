import AndroidKeyAttestation
import AssayCore
import AssayEncoding

/// The apparent kind of a file, by its first bytes and the names in it: good enough to choose a reader, which then checks it.
package enum InspectedKind: String, Sendable {
    case attestation = "app-attest.attestation"
    case assertion = "app-attest.assertion"
    case receipt = "app-attest.receipt"
    case playIntegrityToken = "play-integrity.token"
    /// The answer of Google's service to a request to decode a token.
    case playIntegrityAnswer = "play-integrity.answer"
    case safetyNetResponse = "safetynet.jws"
    /// PEM text of an Android chain.
    case keyAttestation = "key-attestation.chain"
    /// PEM text, or one certificate in DER.
    case certificates = "certificates"
    /// Issued by a daemon.
    case challenge
    case unknown

    /// The object identifier of a signed CMS message.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// The beginning of a JSON object in base64url: a token in compact serialisation begins with its header.
    private static let tokenStart = "eyJ".utf8

    package init(_ bytes: [UInt8]) {
        if bytes.starts(with: "-----BEGIN".utf8) {
            let certificates = KeyAttestationInspection.certificates(bytes)
            self = KeyAttestationExplanation.isChain(certificates) ? .keyAttestation : .certificates
        } else if bytes.first == 0x30, bytes.prefix(32).firstRange(of: Self.signedData) != nil {
            self = .receipt
        } else if bytes.first == 0x30 {
            self = .certificates
        } else if bytes.starts(with: Self.tokenStart) {
            // Encrypted tokens have five parts, signed ones three.
            self = bytes.count(where: { $0 == UInt8(ascii: ".") }) > 2 ? .playIntegrityToken : .safetyNetResponse
        } else if bytes.contains("tokenPayloadExternal") {
            self = .playIntegrityAnswer
        } else if bytes.contains("attStmt") {
            self = .attestation
        } else if bytes.contains("authenticatorData") {
            self = .assertion
        } else if (try? Challenge(parsing: bytes)) != nil {
            self = .challenge
        } else {
            self = .unknown
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ name: String) -> Bool { firstRange(of: Array(name.utf8)) != nil }
}
