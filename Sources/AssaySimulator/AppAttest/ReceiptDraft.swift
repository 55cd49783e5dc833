import AssayCore
import AssayEncoding

/// The fields of a receipt before encoding. Everything can be changed, to break it.
public struct ReceiptDraft: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Part of an attestation.
        case attest = "ATTEST"
        /// Returned by Apple's service in an exchange, with a risk metric.
        case receipt = "RECEIPT"
    }

    public struct Field: Hashable, Sendable {
        public var type: UInt64
        public var version: UInt64 = 1
        /// The octets of the field: text, a time in RFC 3339, a certificate, or plain bytes.
        public var value: [UInt8]

        public init(_ type: UInt64, _ value: [UInt8]) { (self.type, self.value) = (type, value) }
        public init(_ type: UInt64, _ text: String) { self.init(type, Array(text.utf8)) }
    }

    /// In writing order. Duplicates are written.
    public var fields: [Field]

    /// The first field of this type. Setting replaces it in place or appends; `nil` removes it.
    public subscript(type: UInt64) -> [UInt8]? {
        get { fields.first { $0.type == type }?.value }
        set {
            let index = fields.firstIndex { $0.type == type }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Field(type, value))
            case (nil, nil): break
            }
        }
    }

    /// Sets a field to a text.
    public mutating func set(_ type: UInt64, _ text: String) { self[type] = Array(text.utf8) }

    private static let day: Int64 = 86_400_000

    /// Fields as in genuine receipts: not before a day after their creation, expiring 90 days after it, in the order of the
    /// samples.
    init(
        _ kind: Kind, phone: VirtualPhone, leaf: [UInt8], clientDataHash: [UInt8], token: String, at time: Timestamp,
        riskMetric: Int
    ) {
        fields = kind == .receipt ? [Field(17, String(riskMetric)), Field(6, kind.rawValue)] : []
        fields += [Field(2, phone.appID), Field(3, leaf), Field(4, clientDataHash), Field(5, token)]
        if kind == .attest { fields.append(Field(6, kind.rawValue)) }
        fields.append(Field(7, phone.environment == .development ? "sandbox" : "production"))
        fields.append(Field(12, time.description))
        if kind == .receipt { fields.append(Field(19, time.adding(milliseconds: Self.day).description)) }
        fields.append(Field(21, time.adding(milliseconds: 90 * Self.day).description))
    }

    /// `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
    public var payload: [UInt8] {
        DERWriter.set(
            fields.map {
                DERWriter.sequence([
                    DERWriter.integer($0.type), DERWriter.integer($0.version), DERWriter.octetString($0.value),
                ])
            })
    }
}

/// Deviations from a genuine receipt, for tests of verifiers; combined like `AttestationChanges`. A change before `payload` is
/// signed; a later change is tampering.
public struct ReceiptChanges: Sendable {
    public typealias Change<Part> = @Sendable (inout Part) -> Void

    public static let genuine = ReceiptChanges()

    var fields = EditList<ReceiptDraft>()
    var payload = EditList<[UInt8]>()
    var intermediate: EditList<CertificateBuilder>?
    var signer: EditList<CertificateBuilder>?
    var signerIssuerKey: TestSigningKey?
    var signingKey: TestSigningKey?
    var hasSignedAttributes = false
    var message = EditList<SignedMessageDraft>()
    var bytes = EditList<[UInt8]>()

    /// Fields of the receipt, signed.
    public func fields(_ change: @escaping Change<ReceiptDraft>) -> Self { with { $0.fields.add(change) } }

    /// The encoded fields, signed.
    public func payload(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.payload.add(change) } }

    /// The CA certificate below the root, before the root signs it again.
    public func intermediate(_ change: @escaping Change<CertificateBuilder>) -> Self {
        with {
            $0.intermediate = $0.intermediate ?? EditList()
            $0.intermediate?.add(change)
        }
    }

    /// The signer's certificate before it is signed again.
    public func signer(_ change: @escaping Change<CertificateBuilder>) -> Self {
        with {
            $0.signer = $0.signer ?? EditList()
            $0.signer?.add(change)
        }
    }

    /// Another key than the intermediate's signs the signer's certificate; the issuer's name stays.
    public func signerIssuer(_ key: TestSigningKey) -> Self {
        with {
            $0.signer = $0.signer ?? EditList()
            $0.signerIssuerKey = key
        }
    }

    /// Another key signs; the certificate stays.
    public func signingKey(_ key: TestSigningKey) -> Self { with { $0.signingKey = key } }

    /// The signer signs attributes that describe the content in place of the content.
    public func signedAttributes() -> Self { with { $0.hasSignedAttributes = true } }

    /// The message around the signed content, before encoding.
    public func message(_ change: @escaping Change<SignedMessageDraft>) -> Self { with { $0.message.add(change) } }

    /// The encoded receipt.
    public func bytes(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.bytes.add(change) } }

    private func with(_ edit: (inout Self) -> Void) -> Self {
        var copy = self
        edit(&copy)
        return copy
    }
}
