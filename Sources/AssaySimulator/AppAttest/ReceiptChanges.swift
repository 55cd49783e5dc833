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
