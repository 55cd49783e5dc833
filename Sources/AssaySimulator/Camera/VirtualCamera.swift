public import AssayCore
import AssayEncoding

/// A camera that exists only in tests: it has a P-256 key, asks for a certificate for it, and signs bundles.
///
///     let camera = VirtualCamera(serial: "CAM-1", seed: "test")
///     let json = try camera.bundle(imageHash: hash, certificate: der, at: now)
public struct VirtualCamera: Sendable {
    public let serial: String
    public let key: TestSigningKey

    /// With a seed the camera has the same key each time.
    public init(serial: String, seed: String? = nil) {
        self.serial = serial
        key = seed.map { TestSigningKey(.p256, seed: $0, label: "camera \(serial)") } ?? TestSigningKey(.p256)
    }

    /// A camera with a saved key: the scalar, 32 bytes.
    public init(serial: String, scalar: [UInt8]) throws(SimulatorError) {
        self.serial = serial
        key = try TestSigningKey(.p256, scalar: scalar)
    }

    /// A PKCS #10 request (RFC 2986) for a certificate of the camera's key, in DER.
    public func certificateRequest() throws(SimulatorError) -> [UInt8] {
        let content = DERWriter.sequence([
            DERWriter.integer(0), CertificateBuilder.Name(commonName: serial).der, key.subjectPublicKeyInfo,
            DERWriter.context(0, []),
        ])
        return DERWriter.sequence([
            content, CertificateBuilder.Algorithm.ecdsaWithSHA256.der,
            DERWriter.bitString(try key.sign(content, hash: .sha256).der),
        ])
    }

    /// The JSON of a bundle.
    ///
    /// - Parameters:
    ///   - imageHash: 32 bytes.
    ///   - certificate: DER. `CameraBundleChanges.members` can write it otherwise.
    ///   - locationHash: 32 bytes; `nil`: none.
    public func bundle(
        imageHash: [UInt8], certificate: [UInt8], at time: Timestamp, locationHash: [UInt8]? = nil,
        _ changes: CameraBundleChanges = .genuine
    ) throws(SimulatorError) -> [UInt8] {
        var draft = CameraBundleDraft(
            imageHash: Hex.encode(imageHash), certificate: Base64.standard.encode(certificate),
            timestamp: (time.unixMilliseconds - time.unixMilliseconds % 1000) / 1000,
            locationHash: locationHash.map { Hex.encode($0) })
        changes.members(&draft)
        var signed = Array(draft.signedText.utf8)
        changes.signedBytes(&signed)
        var signature = try (changes.signer ?? key).sign(signed, hash: .sha256).raw
        changes.signature(&signature)
        var json = draft.json(signature)
        changes.json(&json)
        return json.bytes
    }
}

/// The members of a bundle as texts, before it is signed.
public struct CameraBundleDraft: Hashable, Sendable {
    public var imageHash: String
    public var certificate: String
    /// Seconds since 1970.
    public var timestamp: Int64
    public var locationHash: String?

    /// Four lines, each with its end.
    public var signedText: String {
        [imageHash.lowercased(), certificate, "\(timestamp)", locationHash?.lowercased() ?? ""].map { $0 + "\n" }.joined()
    }

    func json(_ signature: [UInt8]) -> JSONDraft {
        var members: [JSONDraft.Member] = [
            .init("image_hash", .text(imageHash)), .init("camera_cert", .text(certificate)),
            .init("timestamp", .integer(timestamp)),
        ]
        if let locationHash { members.append(.init("gps_hash", .text(locationHash))) }
        members.append(.init("bundle_signature", .text(Base64.standard.encode(signature))))
        return .object(members)
    }
}

/// Deviations from a genuine bundle, for tests of verifiers. They apply in the order of these methods: what is changed before
/// `signature` is signed, as if the camera had made it; a later change is tampering.
public struct CameraBundleChanges: Sendable {
    public typealias Change<Part> = @Sendable (inout Part) -> Void

    public static let genuine = CameraBundleChanges()

    var members = EditList<CameraBundleDraft>()
    var signedBytes = EditList<[UInt8]>()
    var signer: TestSigningKey?
    var signature = EditList<[UInt8]>()
    var json = EditList<JSONDraft>()

    /// The members, before they are signed.
    public func members(_ change: @escaping Change<CameraBundleDraft>) -> Self { with { $0.members.add(change) } }

    /// What is signed; the members stay.
    public func signedBytes(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.signedBytes.add(change) } }

    /// Another key than the camera's signs.
    public func signer(_ key: TestSigningKey) -> Self { with { $0.signer = key } }

    /// The signature, 64 bytes (96 by a P-384 key).
    public func signature(_ change: @escaping Change<[UInt8]>) -> Self { with { $0.signature.add(change) } }

    /// The bundle with its signature.
    public func json(_ change: @escaping Change<JSONDraft>) -> Self { with { $0.json.add(change) } }

    private func with(_ edit: (inout Self) -> Void) -> Self {
        var copy = self
        edit(&copy)
        return copy
    }
}
