import AssayCore
import AssayEncoding

/// What a file seems to be, by its first bytes and the names in it: good enough to choose a reader, which then finds out.
package enum InspectedKind: String, Sendable {
    case attestation = "app-attest.attestation"
    case assertion = "app-attest.assertion"
    /// PEM text, or one certificate in DER.
    case certificates = "certificates"
    case unknown

    init(_ bytes: [UInt8]) {
        if bytes.starts(with: "-----BEGIN".utf8) {
            self = .certificates
        } else if bytes.first == 0x30 {
            self = .certificates
        } else if bytes.contains("attStmt") {
            self = .attestation
        } else if bytes.contains("authenticatorData") {
            self = .assertion
        } else {
            self = .unknown
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ name: String) -> Bool { firstRange(of: Array(name.utf8)) != nil }
}
