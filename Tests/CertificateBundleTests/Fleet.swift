import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Crypto
import Testing

@testable import CertificateBundle

/// A fleet of one camera, its CAs, and what the registry has of it.
struct Fleet {
    static let now = Timestamp(unixSeconds: 1_772_366_400)
    static let master = Hex.decode(String(repeating: "0123456789abcdef", count: 4)) ?? []
    static let secret = Hex.decode("fbc65e373176fbaeb5bf1835dd809ae56e5095eba531a7649370f8e6274e5360") ?? []
    static let imageHash = [UInt8](repeating: 0xAB, count: 32)
    static let serialNumber: [UInt8] = [0x51, 2, 3, 4]

    let app: AppID
    let authority: CameraAuthority
    let camera: VirtualCamera
    let secrets: FleetSecrets
    let sealed: SealedSecretDraft
    let deviceID = DeviceID.random()
    var policy: CertificateBundlePolicy
    /// Whether the CA is Assay's own.
    var isOwn = false
    /// Whether the app has the fleet's secrets.
    var hasSecrets = true
    var lists: [IssuerRevocationList] = []
    var judges: [any RegisteredDeviceAppraiser] = [FleetDeviceAppraiser()]

    init(kind: TestKey.Kind = .p256) throws {
        app = try #require(AppID("camera"))
        authority = try CameraAuthority(seed: "fleet", from: Self.now, kind: kind)
        camera = VirtualCamera(serial: "CAM-1", seed: "fleet")
        secrets = FleetSecrets(tables: KeyTables(masters: [7: Self.master]), hashKey: [UInt8](repeating: 9, count: 32))
        let key = try #require(secrets.tables.key(table: 7, index: 42))
        sealed = SealedSecretDraft(sealed: try #require(SealedSecret.seal(Self.secret, with: key)), table: 7, keyIndex: 42)
        policy = CertificateBundlePolicy()
    }

    var anchors: [TrustAnchor] {
        get throws {
            [try TrustAnchor(name: "issuing", pem: authority.issuingPEM, simulated: false)]
        }
    }

    /// The camera's certificate, in DER.
    func certificate(_ change: (inout CertificateBuilder) -> Void = { _ in }) throws -> [UInt8] {
        var builder = authority.certificate(
            for: TestKey(camera.key), serial: camera.serial, number: Self.serialNumber, secret: sealed, at: Self.now)
        change(&builder)
        return try builder.signed(by: authority.issuingKey)
    }

    /// The JSON of a bundle.
    func bundle(
        _ changes: CameraBundleChanges = .genuine, certificate: [UInt8]? = nil, at time: Timestamp = now,
        locationHash: [UInt8]? = nil
    ) throws -> [UInt8] {
        try camera.bundle(
            imageHash: Self.imageHash, certificate: certificate ?? self.certificate(), at: time, locationHash: locationHash,
            changes)
    }

    func device(
        serial: String? = nil, format: EvidenceFormat = .fleetDevice, simulated: Bool = false, app: AppID? = nil
    ) -> Device {
        Device(
            id: deviceID, app: app ?? self.app, subject: nil,
            registration: Registration(
                format: format, keyID: secrets.keyID(ofSecret: Self.secret, app: self.app),
                publicKey: camera.key.subjectPublicKeyInfo, environment: "", anchor: [],
                claims: Claims([
                    .init(name: "device_serial", value: .text(serial ?? camera.serial)),
                    .init(name: "device_family", value: .text("Virtual One")),
                ]), chainSerials: [], receipt: [], simulated: simulated), registeredAt: Self.now)
    }

    /// The record of a certificate.
    func record(
        of der: [UInt8], device: DeviceID? = nil, revoked: RevocationReason? = nil, assurance: Assurance = .hardware,
        app: AppID? = nil, simulated: Bool = false, isDeleted: Bool = false
    ) throws -> DeviceCertificate {
        let certificate = try Certificate(der: der[...])
        let issuer = try anchors[0].publicKeySHA256
        return DeviceCertificate(
            name: CertificateName(issuer: issuer, serial: certificate.serial), app: app ?? self.app,
            device: device ?? deviceID, keyID: certificate.publicKey.sha256, notBefore: certificate.validity.notBefore,
            notAfter: certificate.validity.notAfter, issuedAt: Self.now,
            basis: CertificateBasis(
                assurance: assurance, protection: .provisioned, platform: .fleetDevice,
                policyDigest: [UInt8](repeating: 1, count: 32), simulated: simulated),
            der: isDeleted ? [] : der, revocation: revoked.map { CertificateRevocation($0, at: Self.now) })
    }

    func verifier(anchors: [TrustAnchor]? = nil) throws -> CertificateBundleVerifier {
        let anchors = try anchors ?? self.anchors
        return CertificateBundleVerifier(
            policy: policy,
            authorities: isOwn ? DeviceAuthorities(own: anchors, foreign: []) : DeviceAuthorities(foreign: anchors),
            lists: lists, app: app, fleet: hasSecrets ? secrets : nil, judges: judges)
    }

    /// Judges a bundle as the pipeline does: needs, facts, appraisal.
    func judge(
        _ bundle: CertificateBundle, facts: Facts? = nil, now: Timestamp = now, anchors: [TrustAnchor]? = nil
    ) throws -> Appraisal {
        try judge(bundle.evidence, facts: facts, now: now, anchors: anchors)
    }

    func judge(
        _ evidence: Evidence, facts: Facts? = nil, now: Timestamp = now, anchors: [TrustAnchor]? = nil
    ) throws -> Appraisal {
        let verifier = try verifier(anchors: anchors)
        var known = facts ?? Facts(device: device(), submissions: 0)
        // A device that the need does not name is not found.
        if let needs = try? verifier.locate(evidence), let keyID = needs.deviceKeyID,
            known.device?.registration.keyID != keyID
        {
            known.device = nil
        }
        return verifier.appraise(evidence, in: AppraisalContext(binding: .inEvidence, facts: known, now: now))
    }

    func judge(json: [UInt8], facts: Facts? = nil, now: Timestamp = now) throws -> Appraisal {
        try judge(.json(json), facts: facts, now: now)
    }

    /// The form with fields of a JSON bundle.
    func fields(_ json: [UInt8]) throws -> CertificateBundle.Fields { try BundleJSON.read(json[...]) }

    /// The form with the digest of a JSON bundle.
    func digest(_ json: [UInt8]) throws -> CertificateBundle.Digest {
        let fields = try fields(json)
        let location = fields.locationHash.isEmpty ? "" : Hex.encode(fields.locationHash)
        let text =
            Hex.encode(fields.imageHash) + "\n" + String(decoding: fields.certificate, as: UTF8.self)
            + "\n\(fields.timestamp)\n"
            + location + "\n"
        return CertificateBundle.Digest(
            signedSHA256: Array(SHA256.hash(data: Array(text.utf8))), certificate: fields.certificate,
            signature: fields.signature)
    }
}

extension Appraisal {
    var outcome: String { failure?.code ?? "accepted" }
    func note(_ code: String) -> Bool { findings.contains { $0.outcome == .note && $0.code == code } }
}
