import AssayCore
import Foundation
import Testing

private func decoded(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

private func deviceID(_ hex: String) throws -> DeviceID {
    let bytes = try decoded(hex)
    return try #require(DeviceID(bytes: bytes))
}

/// A change in the chain of `docs/vectors/audit-v1.json`, after its verdicts.
struct AuditChangeVector: Decodable {
    let number: Int64
    let timeUnixMs: Int64
    let kind: UInt8
    let origin: UInt8
    let flag: Bool
    let caller: String
    let app: String
    let deviceHex: String
    let targetHex: String
    let digestHex: String
    let count: Int64
    let name: String
    let reason: String
    let recordHex: String
    let headHex: String
    /// The devices that an import added.
    let devices: [Imported]?
    /// The certificate that was issued or revoked.
    let certificate: Certificate?
    /// The permits that were added or removed.
    let permits: [Permit]?
    /// The API key that was created or revoked.
    let key: Key?

    struct Key: Decodable {
        let hashHex: String
        let roles: [String]
        /// `nil`: all apps.
        let apps: [String]?
        let expiresAtUnixMs: Int64
    }

    struct Certificate: Decodable {
        let issuerHex: String
        let serialHex: String
        let derHex: String
    }

    struct Permit: Decodable {
        let kind: UInt8
        let bytesHex: String
    }

    struct Imported: Decodable {
        let deviceHex: String
        let keyIdHex: String
        let publicKeyHex: String
        let counter: UInt32

        func device() throws -> Device {
            Device(
                id: try deviceID(deviceHex), app: try #require(AppID("photos")),
                subject: nil,
                registration: Registration(
                    format: EvidenceFormat(rawValue: "test"), keyID: try decoded(keyIdHex),
                    publicKey: try decoded(publicKeyHex), environment: "production", anchor: [],
                    claims: Claims(), chainSerials: [], receipt: [], simulated: false),
                registeredAt: .distantPast, counter: counter)
        }
    }

    private struct File: Decodable {
        let changes: [AuditChangeVector]
        let signedHeads: [SignedHeadVector]
    }

    static func all() throws -> [AuditChangeVector] { try file().changes }

    fileprivate static func heads() throws -> [SignedHeadVector] { try file().signedHeads }

    private static func file() throws -> File {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(File.self, from: try Data(contentsOf: docs.appending(path: "vectors/audit-v1.json")))
    }

    /// The change, made by the functions that ledgers use.
    func change() throws -> AuditChange {
        let by: ChangeOrigin = [1: .caller(caller), 2: .start, 3: .signal, 5: .plugin(caller)][origin] ?? .start
        let context = ChangeContext(by, at: Timestamp(unixMilliseconds: timeUnixMs), reason: reason)
        let (id, app) = (DeviceID(bytes: try decoded(deviceHex)), AppID(app))
        let digest = try decoded(digestHex)
        let found = BlockChange(wasBlocked: flag, devices: Int(count), blocked: 0)
        switch try #require(AuditChange.Kind(rawValue: kind)) {
        case .block: return .block(try target(), of: try #require(app), found, context)
        case .unblock: return .unblock(try target(), of: try #require(app), found, context)
        case .forget:
            let imported = Imported(deviceHex: deviceHex, keyIdHex: "", publicKeyHex: "", counter: 0)
            return .forget(try imported.device(), ForgottenDevice(keyStaysBlocked: flag), context)
        case .forgetClaims:
            return .forgetClaims(of: try #require(id), app: try #require(app), count: count, context)
        case .importDevices:
            let devices = try (devices ?? []).map { try $0.device() }
            return try #require(AuditChange.imports(of: devices, devices.map { .added($0.id) }, context).first)
        case .listLoad:
            return .listLoad(name, text: Array("a list".utf8), entries: Int(count), isForced: flag, by: by)
        case .configurationLoad: return .configurationLoad(digest, version: name, by: by)
        case .issueCertificate: return .issue(try issued(), by: by)
        case .revokeCertificate:
            let reason = try #require(UInt8(exactly: count).flatMap(RevocationReason.init(rawValue:)))
            return .revoke(try issued(), reason, context)
        case .enrol:
            let enrolments = try permitted().map {
                Enrolment(app: try #require(AppID(self.app)), permit: $0, createdAt: context.time)
            }
            return .enrol(enrolments, of: try #require(app), context)
        case .removeEnrolment:
            return .removeEnrolment(try #require(try permitted().first), of: try #require(app), context)
        case .resendWebhook: return .resend(webhook: name, letters: Int(count), by: by)
        case .readmit:
            return .readmit(
                Enrolment(
                    app: try #require(app), permit: try #require(try permitted().first), createdAt: context.time,
                    replaces: id), context)
        case .createKey: return .key(.createKey, try callerKey(), context)
        case .revokeKey: return .key(.revokeKey, try callerKey(), context)
        case .publishResultKey: return .publish(try resultKey(digest), signs: flag, context)
        case .signWithResultKey:
            return .sign(with: try resultKey(digest), from: Timestamp(unixMilliseconds: count), context)
        case .setFlag:
            let set = DeviceFlag(
                name: name, setter: origin == 5 ? .plugin(caller) : .caller(caller), detail: reason, since: context.time,
                until: Timestamp(unixMilliseconds: count))
            let (device, app) = (try deviceID(deviceHex), try #require(app))
            return try #require(AuditChange.flag(.set(set), of: device, app: app, flag ? .renewed : .set, context))
        case .clearFlag:
            let (device, app) = (try deviceID(deviceHex), try #require(app))
            let change = DeviceFlagChange.clear(name: name, setter: origin == 5 ? .plugin(caller) : nil)
            return try #require(AuditChange.flag(change, of: device, app: app, .cleared, context))
        }
    }

    private func resultKey(_ identifier: [UInt8]) throws -> ResultPublicKey {
        let issuer = try #require(ResultPublicKey.Issuer.allCases.first { $0.name == name })
        return ResultPublicKey(identifier: identifier, issuer: issuer, publicKey: [])
    }

    private func issued() throws -> DeviceCertificate {
        let (certificate, time) = (try #require(certificate), Timestamp(unixMilliseconds: timeUnixMs))
        let name = CertificateName(issuer: try decoded(certificate.issuerHex), serial: try decoded(certificate.serialHex))
        return DeviceCertificate(
            name: name, app: try #require(AppID(app)), device: try deviceID(deviceHex), keyID: [], notBefore: time,
            notAfter: time, issuedAt: time,
            basis: CertificateBasis(
                assurance: .hardware, protection: .attested, platform: EvidenceFormat(rawValue: "test"), policyDigest: [],
                simulated: flag), der: try decoded(certificate.derHex))
    }

    private func callerKey() throws -> CallerKey {
        let key = try #require(key)
        return CallerKey(
            name: name, hash: try decoded(key.hashHex), roles: key.roles, apps: key.apps?.compactMap { AppID($0) },
            createdAt: .distantPast, createdBy: "", expiry: Timestamp(unixMilliseconds: key.expiresAtUnixMs))
    }

    private func permitted() throws -> [Enrolment.Permit] {
        try (permits ?? []).map { try #require(Enrolment.Permit(kind: $0.kind, bytes: try decoded($0.bytesHex))) }
    }

    private func target() throws -> BlockTarget {
        let (bytes, app) = (try decoded(targetHex), try #require(AppID(app)))
        return switch bytes.first {
        case nil: .device(try deviceID(deviceHex))
        case 2: .subject(Array(bytes.dropFirst()), of: app)
        default: .key(DeviceKey(app: app, keyID: Array(bytes.dropFirst())))
        }
    }
}

/// A signed message of a head, in `docs/vectors/audit-v1.json`.
struct SignedHeadVector: Decodable {
    let version: Int
    let writer: String?
    let number: Int64
    let headHex: String
    let startNumber: Int64?
    let startHeadHex: String?
    let timeUnixMs: Int64
    let messageHex: String

    static func all() throws -> [SignedHeadVector] { try AuditChangeVector.heads() }

    func auditWriter() throws -> AuditWriter { try writer.map { try #require(AuditWriter(named: $0)) } ?? .only }

    func chain() throws -> AuditChain { AuditChain(number: number, head: try decoded(headHex)) }

    func start() throws -> AuditChain? {
        guard let startNumber else { return nil }
        return AuditChain(number: startNumber, head: try decoded(try #require(startHeadHex)))
    }
}
