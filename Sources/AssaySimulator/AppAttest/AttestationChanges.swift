/// Deviations from a genuine attestation, for tests of verifiers. Changes are combined:
///
///     .genuine.authenticatorData { $0.signCount = 1 }.leaf { $0.notAfter = past }.chain { $0.swapAt(0, 1) }
///
/// The changes apply in the order of these methods, each stage to the result of the earlier ones. So a
/// change before `nonce` is covered by the certificate, as if Apple had certified it; a later change is tampering.
public struct AttestationChanges: Sendable {
    public typealias Change<Part> = @Sendable (inout Part) -> Void

    public static let genuine = AttestationChanges()

    var passedHash = EditList<[UInt8]>()
    var authenticatorData = EditList<AuthenticatorDataDraft>()
    var authenticatorBytes = EditList<[UInt8]>()
    var clientDataHash = EditList<[UInt8]>()
    var nonce = EditList<[UInt8]>()
    var leaf = EditList<CertificateBuilder>()
    var leafSigner: TestSigningKey?
    var leafBytes = EditList<[UInt8]>()
    var intermediate: EditList<CertificateBuilder>?
    var intermediateSigner: TestSigningKey?
    var receipt = ReceiptChanges.genuine
    var chain = EditList<[[UInt8]]>()
    var sentAuthenticatorBytes = EditList<[UInt8]>()
    var statement = EditList<CBORMap>()
    var object = EditList<CBORMap>()
    var bytes = EditList<[UInt8]>()

    /// The hash that the app passes to `attestKey`: in nonce and receipt.
    public func passedHash(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.passedHash.add(change) } }

    /// A forgery by an app that writes extensions itself: it passes a map and the true hash as its hash, and sends the map as
    /// if the system had appended it. Nonce, certificate and receipt are genuine, and so are the flags.
    public func forgedExtensions(_ map: [UInt8]) -> Self {
        passedHash { $0 = map + $0 }.sentAuthenticatorBytes { $0 += map }
    }

    /// Fields of the authenticator data, certified.
    public func authenticatorData(_ change: @escaping Change<AuthenticatorDataDraft>) -> Self {
        with { $0.authenticatorData.add(change) }
    }

    /// The encoded authenticator data, certified: cuts, trailing bytes, extensions that are not a map.
    public func authenticatorBytes(_ change: @escaping Change<[UInt8]>) -> Self {
        with { $0.authenticatorBytes.add(change) }
    }

    /// The hash that goes into the nonce in place of the app's.
    public func clientDataHash(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.clientDataHash.add(change) } }

    /// The 32 bytes of the nonce extension.
    public func nonce(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.nonce.add(change) } }

    /// The credential certificate before it is signed.
    public func leaf(_ change: @escaping Change<CertificateBuilder>) -> Self { with { $0.leaf.add(change) } }

    /// Another key than the intermediate's signs the credential certificate; the issuer's name stays.
    public func leafSigner(_ key: TestSigningKey) -> Self { with { $0.leafSigner = key } }

    /// The signed credential certificate.
    public func leafBytes(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.leafBytes.add(change) } }

    /// The intermediate before the root signs it again.
    public func intermediate(_ change: @escaping Change<CertificateBuilder>) -> Self {
        with { $0.intermediate = $0.intermediate.adding(change) }
    }

    /// Another key than the root's signs the intermediate; the issuer's name stays.
    public func intermediateSigner(_ key: TestSigningKey) -> Self {
        with {
            $0.intermediateSigner = key
            $0.intermediate = $0.intermediate ?? EditList()
        }
    }

    /// The receipt beside the certificates, over the credential certificate and the app's hash.
    public func receipt(_ changes: ReceiptChanges) -> Self { with { $0.receipt = changes } }

    /// The certificates of `x5c`, leaf first.
    public func chain(_ change: @escaping Change<[[UInt8]]>) -> Self { with { $0.chain.add(change) } }

    /// The authenticator data as sent, changed after the nonce was computed.
    public func sentAuthenticatorBytes(_ change: @escaping Change<[UInt8]>) -> Self {
        with { $0.sentAuthenticatorBytes.add(change) }
    }

    /// The map `attStmt` with `x5c` and `receipt`.
    public func statement(_ change: @escaping Change<CBORMap>) -> Self { with { $0.statement.add(change) } }

    /// The outermost map: `fmt`, `attStmt`, `authData`.
    public func object(_ change: @escaping Change<CBORMap>) -> Self { with { $0.object.add(change) } }

    /// The encoded object.
    public func bytes(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.bytes.add(change) } }

    private func with(_ edit: (inout Self) -> Void) -> Self {
        var copy = self
        edit(&copy)
        return copy
    }
}

extension Optional {
    fileprivate func adding<Part>(_ change: @escaping @Sendable (inout Part) -> Void) -> Self where Wrapped == EditList<Part> {
        var stage = self ?? EditList()
        stage.add(change)
        return stage
    }
}
