import AssayCore
import Crypto

/// Roots and intermediates of the shape of Google's for Android Key Attestation, under names and keys that are tests: a root
/// of RSA, a root of P-384, what stands below them in the factory and in remote provisioning, and a root of software
/// attestation.
///
/// Nothing trusts it unless a configuration names its roots; what was judged through one is `simulated` for ever. Names by
/// which verifiers tell the kinds of chains apart are as Google's.
public struct AndroidAuthority: Sendable {
    /// The root that a chain ends in.
    public enum Root: String, CaseIterable, Hashable, Sendable {
        /// RSA-2048; Google's has 4096 bits, which takes long to make and tests nothing else.
        case rsa
        case p384
        /// Of software attestation, P-256.
        case software
    }

    /// All keys but the RSA root's follow from it.
    private let seed: String
    /// The RSA root's key, where it was kept.
    private let keptRSARootKey: TestKey?
    public let p384RootKey: TestKey
    /// P-256.
    public let softwareRootKey: TestKey

    /// An authority with random keys.
    public init() { self.init(seed: Hex.encode(SecureRandom.bytes(32))) }

    /// The authority of a seed. Names, keys, serial numbers and dates are the same each time, but for the RSA root's key,
    /// which is the same only as long as the process lives. Signatures are randomised, so that the certificates of two
    /// calls differ in these and trust each other's chains.
    public init(seed: String) { self.init(seed: seed, rsaRootKey: nil) }

    private init(seed: String, rsaRootKey: TestKey?) {
        self.seed = seed
        keptRSARootKey = rsaRootKey
        p384RootKey = TestKey(TestSigningKey(.p384, seed: seed, label: "android p384 root"))
        softwareRootKey = TestKey(TestSigningKey(.p256, seed: seed, label: "android software root"))
    }

    /// The key of the RSA root. It is made when it is first asked for, which takes a while.
    public func rsaRootKey() throws(SimulatorError) -> TestKey {
        if let keptRSARootKey { return keptRSARootKey }
        return try TestKey(.rsa2048, seed: seed, label: "android rsa root")
    }

    /// DER of a root: what a configuration has to name for the devices below it to be believed.
    public func certificate(_ root: Root) throws(SimulatorError) -> [UInt8] {
        let draft = try rootDraft(root)
        return try draft.builder.signed(by: draft.signer)
    }

    /// A root in PEM (RFC 7468), as configurations take it.
    public func pem(_ root: Root) throws(SimulatorError) -> String { PEM.encode("CERTIFICATE", try certificate(root)) }

    private static let title = "assay test android authority 1"

    /// Keys as text, in the clear, for keeping the authority in a file. They are worth nothing where the roots are not
    /// trusted, and everything where they are.
    public func saved() throws(SimulatorError) -> String {
        var saved = SavedText(Self.title)
        saved.add("seed", Array(seed.utf8))
        saved.add("rsa-root-key", try rsaRootKey().privateBytes)
        return saved.text
    }

    /// The authority that `saved()` gave the text of. Certificates are signed anew.
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

    /// 16 octets that follow from the key: positive, and without a leading zero.
    static func serial(of key: TestKey) -> [UInt8] {
        var octets = Array(SHA256.hash(data: key.publicKeyBits).prefix(16))
        octets[0] = octets[0] & 0x3F | 0x40
        return octets
    }
}
