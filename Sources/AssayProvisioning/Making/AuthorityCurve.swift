package import AssaySigning

/// The curve of a CA's key. Devices and those who check their certificates know ECDSA; few know Ed25519 in a certificate.
package enum AuthorityCurve: String, CaseIterable, Hashable, Sendable {
    case p256
    case p384

    package var algorithm: SigningAlgorithm {
        switch self {
        case .p256: .p256
        case .p384: .p384
        }
    }
}
