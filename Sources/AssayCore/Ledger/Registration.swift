package import Crypto
import Synchronization

/// An attested key, as its verifier describes it. Immutable; all copies of a device share it.
public final class Registration: Sendable {
    public let format: EvidenceFormat
    public let keyID: [UInt8]
    /// App Attest: an uncompressed X9.63 point of P-256, 65 bytes. Other formats: a SubjectPublicKeyInfo (RFC 5280).
    public let publicKey: [UInt8]
    public let environment: String
    /// SHA-256 of the SubjectPublicKeyInfo of the chain's trust anchor, 32 bytes.
    public let anchor: [UInt8]
    public let claims: Claims
    /// The serial numbers of the chain, leaf first, as unsigned big-endian integers.
    public let chainSerials: [[UInt8]]
    /// SHA-256 of the SubjectPublicKeyInfo of the key that attested this one, 32 bytes, for formats that limit the devices of one
    /// attestation key; empty for the others.
    public let attestationKey: [UInt8]
    /// The platform's receipt, unchanged; empty if there is none.
    public let receipt: [UInt8]
    public let simulated: Bool
    /// True if an operator imported the key: Assay has not seen its chain.
    public let imported: Bool
    /// The public key, decoded once; `nil` if it is not a P-256 key.
    package let p256: P256.Signing.PublicKey?
    private let facts = AtomicLazyReference<RegisteredFacts>()

    public init(
        format: EvidenceFormat, keyID: [UInt8], publicKey: [UInt8], environment: String, anchor: [UInt8], claims: Claims,
        chainSerials: [[UInt8]], attestationKey: [UInt8] = [], receipt: [UInt8], simulated: Bool, imported: Bool = false
    ) {
        self.format = format
        self.keyID = keyID
        self.publicKey = publicKey
        self.environment = environment
        self.anchor = anchor
        self.claims = claims
        self.chainSerials = chainSerials
        self.attestationKey = attestationKey
        self.receipt = receipt
        self.simulated = simulated
        self.imported = imported
        p256 =
            (try? P256.Signing.PublicKey(x963Representation: publicKey))
            ?? (try? P256.Signing.PublicKey(derRepresentation: publicKey))
    }
}

extension Registration {
    /// What the verifier of the format reads in the claims. They are read at the first use of the registration, and not at the further ones.
    ///
    /// - Parameter read: depends on the claims alone. `nil`: they are not of this form.
    package func facts<Facts: Sendable>(_ read: (Claims) -> Facts?) -> Facts? {
        if let known = facts.load()?.facts as? Facts { return known }
        guard let facts = read(claims) else { return nil }
        _ = self.facts.storeIfNil(RegisteredFacts(facts))
        return facts
    }

    /// The same registration with a newer receipt.
    public func replacing(receipt: [UInt8]) -> Registration {
        Registration(
            format: format, keyID: keyID, publicKey: publicKey, environment: environment, anchor: anchor, claims: claims,
            chainSerials: chainSerials, attestationKey: attestationKey, receipt: receipt, simulated: simulated,
            imported: imported)
    }
}

extension Registration: Hashable {
    public static func == (a: Registration, b: Registration) -> Bool {
        a === b
            || a.format == b.format && a.keyID == b.keyID && a.publicKey == b.publicKey && a.environment == b.environment
                && a.anchor == b.anchor && a.claims == b.claims && a.chainSerials == b.chainSerials
                && a.attestationKey == b.attestationKey && a.receipt == b.receipt && a.simulated == b.simulated
                && a.imported == b.imported
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(format)
        hasher.combine(keyID)
    }
}

/// What a verifier read in the claims of a registration.
private final class RegisteredFacts: Sendable {
    let facts: any Sendable

    init(_ facts: any Sendable) { self.facts = facts }
}
