import AssayCore
import AssayEncoding
import Crypto

/// Roots and intermediates modelled on Google's for Android Key Attestation, with test names and keys: an RSA root, a P-384
/// root, factory and remotely provisioned intermediates below them, and a root of software attestation.
///
/// They are trusted only if a configuration names the roots; evidence below them is `simulated` permanently. The names by which
/// verifiers distinguish the classes of chains are Google's.
public struct AndroidAuthority: Sendable {
    /// The root at which a chain ends.
    public enum Root: String, CaseIterable, Hashable, Sendable {
        /// RSA-2048; Google's has 4096 bits, which takes long to generate and tests nothing else.
        case rsa
        case p384
        /// Of software attestation, P-256.
        case software
    }

    /// The seed of all keys but the RSA root's.
    private let seed: String
    /// The RSA root's key, if it was saved.
    private let keptRSARootKey: TestKey?
    public let p384RootKey: TestKey
    /// P-256.
    public let softwareRootKey: TestKey

    /// An authority with random keys.
    public init() { self.init(seed: Hex.encode(SecureRandom.bytes(32))) }

    /// The authority of a seed. Names, keys, serial numbers and dates are the same each time, except for the RSA root's key,
    /// which stays the same only within one process. Signatures are randomised, so the certificates of two calls differ in
    /// these and trust each other's chains.
    public init(seed: String) { self.init(seed: seed, rsaRootKey: nil) }

    private init(seed: String, rsaRootKey: TestKey?) {
        self.seed = seed
        keptRSARootKey = rsaRootKey
        p384RootKey = TestKey(TestSigningKey(.p384, seed: seed, label: "android p384 root"))
        softwareRootKey = TestKey(TestSigningKey(.p256, seed: seed, label: "android software root"))
    }

    /// The key of the RSA root. It is generated at the first call, which takes a while.
    public func rsaRootKey() throws(SimulatorError) -> TestKey {
        if let keptRSARootKey { return keptRSARootKey }
        return try TestKey(.rsa2048, seed: seed, label: "android rsa root")
    }

    /// DER of a root: a configuration that names it trusts the devices below it.
    public func certificate(_ root: Root) throws(SimulatorError) -> [UInt8] {
        let draft = try rootDraft(root)
        return try draft.builder.signed(by: draft.signer)
    }

    /// A root in PEM (RFC 7468), for configurations.
    public func pem(_ root: Root) throws(SimulatorError) -> String { PEM.encode(try certificate(root)) }

    private static let title = "assay test android authority 1"

    /// The keys as plain text, for saving the authority to a file. Anyone who has them can forge evidence wherever the roots are
    /// trusted.
    public func saved() throws(SimulatorError) -> String {
        var saved = SavedText(Self.title)
        saved.add("seed", Array(seed.utf8))
        saved.add("rsa-root-key", try rsaRootKey().privateBytes)
        return saved.text
    }

    /// The authority whose `saved()` returned the text. Certificates are signed again.
    public init(saved text: String) throws(SimulatorError) {
        let saved = try SavedText(Self.title, reading: text)
        self.init(
            seed: String(decoding: try saved.bytes("seed"), as: UTF8.self),
            rsaRootKey: try TestKey(.rsa2048, privateBytes: try saved.bytes("rsa-root-key")))
    }

    /// A key of the authority by its label.
    func key(_ curve: TestSigningKey.Curve, _ label: String) -> TestKey {
        TestKey(TestSigningKey(curve, seed: seed, label: "android \(label)"))
    }

    /// 16 octets derived from the key: positive, and without a leading zero.
    static func serial(of key: TestKey) -> [UInt8] {
        var octets = Array(SHA256.hash(data: key.publicKeyBits).prefix(16))
        octets[0] = octets[0] & 0x3F | 0x40
        return octets
    }
}
