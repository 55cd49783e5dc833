import AssayCertificates
package import AssaySigning

extension SigningAlgorithm {
    /// Those of CAs, and of the keys that they certify.
    package static let ofAuthorities: [SigningAlgorithm] = AuthorityCurve.allCases.map(\.algorithm)

    /// That of a certificate's or a request's key; `nil` for keys that no CA may have.
    init?(_ key: SubjectPublicKeyInfo.Algorithm) {
        switch key {
        case .p256: self = .p256
        case .p384: self = .p384
        default: return nil
        }
    }
}
