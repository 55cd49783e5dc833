/// Deviations from a genuine key attestation, for tests of verifiers. Changes are combined:
///
///     .genuine.description { $0.hardware[.origin] = nil }.certificate(1) { $0.notAfter = past }.chain { $0.removeLast() }
///
/// The changes apply in the order of these methods. A change before `certificateBytes` is covered by the certificate's
/// signature, as if the device or Google had made it; a later change is tampering. The key's own certificate has the
/// index 0.
public struct KeyAttestationChanges: Sendable {
    public typealias Change<Part> = @Sendable (inout Part) -> Void

    public static let genuine = KeyAttestationChanges()

    var description = EditList<KeyDescriptionDraft>()
    var elements = EditList<[[UInt8]]>()
    var descriptionBytes = EditList<[UInt8]>()
    var certificates: [Int: EditList<CertificateBuilder>] = [:]
    var signers: [Int: TestKey] = [:]
    var certificateBytes: [Int: EditList<[UInt8]>] = [:]
    var chain = EditList<[[UInt8]]>()

    /// The key description's fields.
    public func description(_ change: @escaping Change<KeyDescriptionDraft>) -> Self { with { $0.description.add(change) } }

    /// The eight encoded elements of the key description.
    public func elements(_ change: @escaping Change<[[UInt8]]>) -> Self { with { $0.elements.add(change) } }

    /// The encoded key description.
    public func descriptionBytes(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.descriptionBytes.add(change) } }

    /// A certificate before it is signed.
    public func certificate(_ index: Int, _ change: @escaping Change<CertificateBuilder>) -> Self {
        with { $0.certificates[index, default: EditList()].add(change) }
    }

    /// Another key than the issuer's signs a certificate; the issuer's name stays.
    public func signer(of index: Int, _ key: TestKey) -> Self { with { $0.signers[index] = key } }

    /// A signed certificate.
    public func certificateBytes(_ index: Int, _ change: @escaping Change<[UInt8]>) -> Self {
        with { $0.certificateBytes[index, default: EditList()].add(change) }
    }

    /// The chain, leaf first, root last.
    public func chain(_ change: @escaping Change<[[UInt8]]>) -> Self { with { $0.chain.add(change) } }

    private func with(_ edit: (inout Self) -> Void) -> Self {
        var copy = self
        edit(&copy)
        return copy
    }
}
