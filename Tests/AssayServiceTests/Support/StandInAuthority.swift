import AssayCore
import Crypto
import Synchronization

/// A CA for tests of the service: its requests and certificates are not X.509, and it can fail. A request is the text `csr:` and the
/// SubjectPublicKeyInfo that it asks a certificate for.
final class StandInAuthority: CertificateAuthority {
    static let issuer = [UInt8](repeating: 0xCA, count: 32)

    private struct State {
        var failure: AuthorityError?
        var orders: [CertificateOrder] = []
        var lists: [RevocationListContent] = []
        var statements: [[UInt8]: FleetStatement] = [:]
        var state = AuthorityFacts.State.signing
        var waits = false
    }
    private let state = Mutex(State())

    static func csr(_ publicKey: [UInt8]) -> [UInt8] { Array("csr:".utf8) + publicKey }

    /// From now on nothing is signed; `nil` ends it.
    func fail(with error: AuthorityError?) { state.withLock { $0.failure = error } }
    func become(_ next: AuthorityFacts.State) { state.withLock { $0.state = next } }

    /// From now on its key is one in a device, or in memory.
    func setWaits(_ waits: Bool) { state.withLock { $0.waits = waits } }
    func waits(at now: Timestamp) -> Bool { state.withLock { $0.waits } }

    var orders: [CertificateOrder] { state.withLock { $0.orders } }
    var lists: [RevocationListContent] { state.withLock { $0.lists } }

    /// `csr:` and a key; `odd:` and a key is one with a quirk.
    func requestedKey(_ csr: [UInt8]) throws(Rejection) -> RequestedKey {
        let isOdd = csr.starts(with: "odd:".utf8)
        guard isOdd || csr.starts(with: "csr:".utf8) else { throw Rejection(.malformedCSR, "not a request") }
        let key = Array(csr.dropFirst(4))
        return RequestedKey(publicKey: key, curve: try Self.curve(of: key), quirks: isOdd ? [.withoutAttributes] : [])
    }

    func requestedKey(bare publicKey: [UInt8]) throws(Rejection) -> RequestedKey {
        RequestedKey(publicKey: publicKey, curve: try Self.curve(of: publicKey))
    }

    private static func curve(of publicKey: [UInt8]) throws(Rejection) -> RequestedKey.Curve {
        if (try? P256.Signing.PublicKey(derRepresentation: publicKey)) != nil { return .p256 }
        if (try? P384.Signing.PublicKey(derRepresentation: publicKey)) != nil { return .p384 }
        throw Rejection(.unsupportedKey, "not a key")
    }

    func issue(_ order: CertificateOrder, at now: Timestamp) async throws(AuthorityError) -> SignedCertificate {
        let failure = state.withLock { state in
            state.orders.append(order)
            return state.failure
        }
        if let failure { throw failure }
        let serial = [1] + SecureRandom.bytes(15)
        let der = Array("certificate of ".utf8) + serial
        if let fleet = order.fleet { state.withLock { $0.statements[der] = fleet } }
        let certificate = DeviceCertificate(
            name: CertificateName(issuer: Self.issuer, serial: serial), app: order.app, device: order.device,
            keyID: SHA256.bytes(of: order.publicKey), notBefore: now,
            notAfter: now.adding(milliseconds: order.profile.validity), issuedAt: now, basis: order.basis, der: der)
        return SignedCertificate(certificate: certificate, chain: [Array("CA".utf8)])
    }

    func authorities(at now: Timestamp) -> [AuthorityFacts] {
        let (failure, state) = state.withLock { ($0.failure, $0.state) }
        return [
            AuthorityFacts(
                name: "test-ca", issuer: Self.issuer, chain: [Array("CA".utf8)], notAfter: now.adding(milliseconds: 1 << 40),
                state: state, problem: failure?.description)
        ]
    }

    func deviceSecret(in certificate: [UInt8], arc: ExtensionArc, _ fleet: FleetSecrets) -> [UInt8]? {
        guard let statement = state.withLock({ $0.statements[certificate] }), statement.arc == arc,
            let key = fleet.tables.key(table: statement.table, index: statement.keyIndex)
        else { return nil }
        return SealedSecret.open(statement.sealedSecret, with: key)
    }

    func sign(_ content: RevocationListContent, issuer: [UInt8]) async throws(AuthorityError) -> [UInt8] {
        let failure = state.withLock { state in
            if state.failure == nil { state.lists.append(content) }
            return state.failure
        }
        if let failure { throw failure }
        return Array("list \(content.number)".utf8)
    }
}
