import AssayCore
import Synchronization

/// The CAs of the configuration in force. A reload exchanges them; a certificate that is being signed keeps its CA.
final class ReloadableAuthority: CertificateAuthority {
    private let current: Mutex<any CertificateAuthority>

    init(_ authority: any CertificateAuthority) { current = Mutex(authority) }

    func exchange(for next: any CertificateAuthority) { current.withLock { $0 = next } }

    private var authority: any CertificateAuthority { current.withLock { $0 } }

    func requestedKey(_ csr: [UInt8]) throws(Rejection) -> RequestedKey { try authority.requestedKey(csr) }

    func requestedKey(bare publicKey: [UInt8]) throws(Rejection) -> RequestedKey {
        try authority.requestedKey(bare: publicKey)
    }

    func issue(_ order: CertificateOrder, at now: Timestamp) async throws(AuthorityError) -> SignedCertificate {
        try await authority.issue(order, at: now)
    }

    func waits(at now: Timestamp) -> Bool { authority.waits(at: now) }

    func authorities(at now: Timestamp) -> [AuthorityFacts] { authority.authorities(at: now) }

    func deviceSecret(in certificate: [UInt8], arc: ExtensionArc, _ fleet: FleetSecrets) -> [UInt8]? {
        authority.deviceSecret(in: certificate, arc: arc, fleet)
    }

    func sign(_ content: RevocationListContent, issuer: [UInt8]) async throws(AuthorityError) -> [UInt8] {
        try await authority.sign(content, issuer: issuer)
    }
}
