package import Crypto

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
    private let facts = OnceReference<any AnyObject & Sendable>()
    private let decoded = OnceReference<DecodedKey>()

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
    }
}

extension P256.Signing.PublicKey {
    /// A SubjectPublicKeyInfo of an uncompressed point of P-256 up to the point (RFC 5480 §2).
    private static let pointPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
        0x03, 0x01,
        0x07, 0x03, 0x42, 0x00,
    ]
    private static let pointLength = 65

    /// The key of a registration in either form: a point, or a SubjectPublicKeyInfo. `nil` if it is not of P-256. Only a SubjectPublicKeyInfo with
    /// another prefix, which is rare, is read as DER.
    fileprivate init?(registered key: [UInt8]) {
        let isPoint = key.count == Self.pointLength
        guard isPoint || key.count == Self.pointPrefix.count + Self.pointLength && key.starts(with: Self.pointPrefix) else {
            do { try self.init(derRepresentation: key) } catch { return nil }
            return
        }
        do { try self.init(x963Representation: key.suffix(Self.pointLength)) } catch { return nil }
    }
}

extension Registration {
    /// What the verifier of the format reads in the claims. They are read at the first use of the registration, and not at the further ones.
    ///
    /// - Parameter read: depends on the claims alone. `nil`: they are not of this form.
    package func facts<Facts: AnyObject & Sendable>(_ read: (Claims) -> Facts?) -> Facts? {
        if let known = facts.load() as? Facts { return known }
        guard let facts = read(claims) else { return nil }
        return self.facts.storeIfNil(facts) as? Facts ?? facts
    }

    /// The public key, decoded at its first use: registering a device does not use it. `nil` if it is not a P-256 key.
    package var p256: P256.Signing.PublicKey? {
        if let known = decoded.load() { return known.p256 }
        return decoded.storeIfNil(DecodedKey(P256.Signing.PublicKey(registered: publicKey))).p256
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

/// The public key of a registration, if it is of P-256.
private final class DecodedKey: Sendable {
    let p256: P256.Signing.PublicKey?

    init(_ p256: P256.Signing.PublicKey?) { self.p256 = p256 }
}
