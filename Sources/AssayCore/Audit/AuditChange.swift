import Crypto

/// An audit record of a change other than a verdict: operators' changes of devices and lists, and loaded configurations.
///
/// Subjects appear as the ledger's keyed hash. The operator's reason is stored unchanged, as long as the log exists.
public struct AuditChange: Sendable {
    /// Raw values are part of the canonical bytes. A value never gets another meaning.
    public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
        /// A target was blocked, or blocked again with another reason.
        case block = 1
        case unblock = 2
        /// A device record was removed.
        case forget = 3
        /// The claims beside the audit records of a device were deleted.
        case forgetClaims = 4
        /// Devices that were attested elsewhere were added: one record for each app of a call.
        case importDevices = 5
        /// A list that an operator loaded came into force.
        case listLoad = 6
        /// A configuration came into force.
        case configurationLoad = 7
        /// A device certificate was issued.
        case issueCertificate = 8
        /// A device certificate was revoked: by an operator, with a certificate that it descends from, with a block of its
        /// device, or because its device was forgotten.
        case revokeCertificate = 9
        /// Permissions to provision devices of a fleet were added.
        case enrol = 10
        /// A permission to provision a device was removed.
        case removeEnrolment = 11
        /// One more device may be provisioned under a serial number, in place of the present one.
        case readmit = 12
        /// An API key was created.
        case createKey = 13
        /// An API key was revoked.
        case revokeKey = 14
        /// What could not be delivered to a webhook is sent again.
        case resendWebhook = 15
        /// A key under which results are signed was published.
        case publishResultKey = 16
        /// A published key signs results from an instant on.
        case signWithResultKey = 17
        /// A flag was set on a device on which it did not stand, or a caller set its own again.
        case setFlag = 18
        /// A flag of a device was cleared before its end.
        case clearFlag = 19
    }

    public let kind: Kind
    public let origin: ChangeOrigin
    /// The app of the devices; `nil` if the change concerns all apps.
    public let app: AppID?
    /// The device that was blocked, unblocked or forgotten, whose claims were deleted, whose certificate was issued or revoked, that
    /// may be replaced, or whose flag was set or cleared.
    public let device: DeviceID?
    /// The target that was blocked or unblocked, unless it is a device.
    public let target: Target?
    /// SHA-256, 32 bytes: of the imported devices (`digest(ofImported:)`), the list's text, the configuration
    /// (`Configuration.digest`), the certificate's DER when it is issued and its name (`CertificateName.digest`) when it is revoked, or
    /// the permits (`digest(ofPermits:)`), the API key (`CallerKey.digest`), or the key under which results are signed
    /// (`ResultPublicKey.identifier`). Empty for other kinds.
    public let digest: [UInt8]
    /// The number of registered devices of a block's target, of records whose claims were deleted, of devices imported, of the
    /// list's entries, of permissions, or of requests that are sent again. Of a revoked certificate: the reason's number (RFC 5280 §5.3.1). Of a key
    /// that signs results from an instant on: that instant, in milliseconds since 1970. Of a flag that was set: its end, likewise.
    public let count: Int64
    /// Block: the target was blocked before. Forget: the key stays blocked. List: it was loaded with force. Published key: it signs at once.
    /// Flag that was set: it stood before.
    public let flag: Bool
    /// The list's name, the version of the daemon that loaded the configuration, the certificate's serial number in hex, the name of the API
    /// key or the webhook, that of the issuer of results, or the flag's.
    public let name: String
    /// The reason, in the operator's words. Of a flag that was set: its detail.
    public let reason: String
    /// The canonical bytes, which `encode` defines.
    public let bytes: [UInt8]

    /// The target of a block, unless it is a device.
    public enum Target: Hashable, Sendable {
        /// The keyed hash of a subject, 32 bytes.
        case subject([UInt8])
        /// The platform's key id.
        case key([UInt8])
    }

    init(
        _ kind: Kind, _ origin: ChangeOrigin, app: AppID? = nil, device: DeviceID? = nil, target: Target? = nil,
        digest: [UInt8] = [], count: Int64 = 0, flag: Bool = false, name: String = "", reason: String = ""
    ) {
        (self.kind, self.origin, self.app, self.device, self.target) = (kind, origin, app, device, target)
        (self.digest, self.count, self.flag, self.name, self.reason) = (digest, count, flag, name, reason)
        bytes = Self.encode(kind, origin, flag: flag, app, device, target, digest, count, name, reason)
    }
}

/// Changes with equal canonical bytes are equal.
extension AuditChange: Hashable {
    public static func == (a: AuditChange, b: AuditChange) -> Bool { a.bytes == b.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension AuditChange {
    /// The record of a block that was set.
    ///
    /// - Parameter app: the target's app.
    public static func block(
        _ target: BlockTarget, of app: AppID, _ change: BlockChange, _ context: ChangeContext
    ) -> AuditChange {
        AuditChange(
            .block, context.origin, app: app, device: target.device, target: target.recorded, count: Int64(change.devices),
            flag: change.wasBlocked, reason: context.reason)
    }

    /// The record of a block that was lifted.
    public static func unblock(
        _ target: BlockTarget, of app: AppID, _ change: BlockChange, _ context: ChangeContext
    ) -> AuditChange {
        AuditChange(
            .unblock, context.origin, app: app, device: target.device, target: target.recorded,
            count: Int64(change.devices), reason: context.reason)
    }

    public static func forget(_ device: Device, _ forgotten: ForgottenDevice, _ context: ChangeContext) -> AuditChange {
        AuditChange(
            .forget, context.origin, app: device.app, device: device.id, flag: forgotten.keyStaysBlocked,
            reason: context.reason)
    }

    public static func forgetClaims(
        of device: DeviceID, app: AppID, count: Int64, _ context: ChangeContext
    ) -> AuditChange {
        AuditChange(
            .forgetClaims, context.origin, app: app, device: device, count: count, reason: context.reason)
    }

    /// The records of an import: one for each app with added devices, in the order of each app's first device.
    public static func imports(
        of devices: [Device], _ outcomes: [ImportOutcome], _ context: ChangeContext
    ) -> [AuditChange] {
        let added = zip(devices, outcomes).filter { $1 == .added($0.id) }.map(\.0)
        var apps: [AppID] = []
        for device in added where !apps.contains(device.app) { apps.append(device.app) }
        return apps.map { app in
            let own = added.filter { $0.app == app }
            return AuditChange(
                .importDevices, context.origin, app: app, digest: digest(ofImported: own), count: Int64(own.count),
                reason: context.reason)
        }
    }

    /// SHA-256 over the label `assay.audit.import.v1` and, for each device in order, its id, key id, public key and counter, each behind
    /// its length (`FieldDigest`).
    public static func digest(ofImported devices: [Device]) -> [UInt8] {
        var hash = FieldDigest("assay.audit.import.v1")
        for device in devices {
            hash.append(device.id.bytes)
            hash.append(device.registration.keyID)
            hash.append(device.registration.publicKey)
            hash.append(UInt64(device.counter))
        }
        return hash.finalize()
    }

    public static func issue(_ certificate: DeviceCertificate, by origin: ChangeOrigin) -> AuditChange {
        AuditChange(
            .issueCertificate, origin, app: certificate.app, device: certificate.device,
            digest: SHA256.bytes(of: certificate.der), flag: certificate.basis.simulated,
            name: Hex.encode(certificate.name.serial))
    }

    /// The record of a revocation that was made now.
    public static func revoke(
        _ certificate: DeviceCertificate, _ reason: RevocationReason, _ context: ChangeContext
    ) -> AuditChange {
        AuditChange(
            .revokeCertificate, context.origin, app: certificate.app, device: certificate.device,
            digest: certificate.name.digest, count: Int64(reason.rawValue), name: Hex.encode(certificate.name.serial),
            reason: context.reason)
    }

    /// The records of added permissions: one for each app with added ones, in the order of each app's first.
    ///
    /// - Parameter outcomes: for each permission whether it was added.
    public static func enrolments(
        of some: [Enrolment], _ outcomes: [Bool], _ context: ChangeContext
    ) -> [AuditChange] {
        let added = zip(some, outcomes).filter(\.1).map(\.0)
        var apps: [AppID] = []
        for enrolment in added where !apps.contains(enrolment.app) { apps.append(enrolment.app) }
        return apps.map { app in enrol(added.filter { $0.app == app }, of: app, context) }
    }

    /// - Parameter added: the permissions of one app that are new; not empty.
    public static func enrol(_ added: [Enrolment], of app: AppID, _ context: ChangeContext) -> AuditChange {
        AuditChange(
            .enrol, context.origin, app: app, digest: digest(ofPermits: added.map(\.permit)), count: Int64(added.count),
            reason: context.reason)
    }

    public static func removeEnrolment(
        _ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext
    ) -> AuditChange {
        AuditChange(
            .removeEnrolment, context.origin, app: app, digest: digest(ofPermits: [permit]), count: 1, reason: context.reason)
    }

    /// - Parameter enrolment: the permission, whose `replaces` is recorded as the device.
    public static func readmit(_ enrolment: Enrolment, _ context: ChangeContext) -> AuditChange {
        AuditChange(
            .readmit, context.origin, app: enrolment.app, device: enrolment.replaces,
            digest: digest(ofPermits: [enrolment.permit]), count: 1, reason: context.reason)
    }

    /// SHA-256 over the label `assay.audit.enrol.v1` and, for each permit in order, its kind (8 bytes) and its bytes, each behind its
    /// length (`FieldDigest`).
    public static func digest(ofPermits permits: [Enrolment.Permit]) -> [UInt8] {
        var hash = FieldDigest("assay.audit.enrol.v1")
        for permit in permits {
            hash.append(UInt64(permit.kind))
            hash.append(permit.bytes)
        }
        return hash.finalize()
    }

    /// The record of an API key that was created, or revoked.
    public static func key(_ kind: Kind, _ key: CallerKey, _ context: ChangeContext) -> AuditChange {
        AuditChange(kind, context.origin, digest: key.digest, name: key.name, reason: context.reason)
    }

    /// - Parameters:
    ///   - text: the list as the operator sent it.
    ///   - entries: the number of its entries.
    public static func listLoad(
        _ name: String, text: [UInt8], entries: Int, isForced: Bool, by origin: ChangeOrigin
    ) -> AuditChange {
        AuditChange(
            .listLoad, origin, digest: SHA256.bytes(of: text), count: Int64(entries), flag: isForced, name: name)
    }

    /// - Parameter letters: the number of requests that are sent again.
    public static func resend(webhook: String, letters: Int, by origin: ChangeOrigin) -> AuditChange {
        AuditChange(.resendWebhook, origin, count: Int64(letters), name: webhook)
    }

    /// - Parameter signs: whether it signs from the time of the change on, as the first key of its issuer.
    public static func publish(_ key: ResultPublicKey, signs: Bool, _ context: ChangeContext) -> AuditChange {
        AuditChange(
            .publishResultKey, context.origin, digest: key.identifier, flag: signs, name: key.issuer.name,
            reason: context.reason)
    }

    public static func sign(
        with key: ResultPublicKey, from time: Timestamp, _ context: ChangeContext
    ) -> AuditChange {
        AuditChange(
            .signWithResultKey, context.origin, digest: key.identifier, count: time.unixMilliseconds, name: key.issuer.name,
            reason: context.reason)
    }

    /// The record of a change of flags; `nil` for an outcome that is not recorded. A renewal is recorded if a caller made it: a plugin may
    /// renew at every verdict.
    public static func flag(
        _ change: DeviceFlagChange, of device: DeviceID, app: AppID, _ outcome: DeviceFlagOutcome, _ context: ChangeContext
    ) -> AuditChange? {
        switch (change, outcome) {
        case (.set(let flag), .set): set(flag, stood: false, on: device, app: app, context)
        case (.set(let flag), .renewed):
            if case .caller = flag.setter { set(flag, stood: true, on: device, app: app, context) } else { nil }
        case (.clear(let name, _), .cleared):
            AuditChange(.clearFlag, context.origin, app: app, device: device, name: name, reason: context.reason)
        default: nil
        }
    }

    private static func set(
        _ flag: DeviceFlag, stood: Bool, on device: DeviceID, app: AppID, _ context: ChangeContext
    ) -> AuditChange {
        AuditChange(
            .setFlag, context.origin, app: app, device: device, count: flag.until.unixMilliseconds, flag: stood,
            name: flag.name, reason: flag.detail)
    }

    /// - Parameters:
    ///   - digest: the configuration's, 32 bytes.
    ///   - version: the daemon's.
    public static func configurationLoad(_ digest: [UInt8], version: String, by origin: ChangeOrigin) -> AuditChange {
        AuditChange(.configurationLoad, origin, digest: digest, name: version)
    }
}

extension BlockTarget {
    fileprivate var device: DeviceID? { if case .device(let id) = self { id } else { nil } }

    fileprivate var recorded: AuditChange.Target? {
        switch self {
        case .device: nil
        case .subject(let hash, _): .subject(hash)
        case .key(let key): .key(key.keyID)
        }
    }
}

extension AuditChange.Kind {
    /// The name in commands and logs.
    public var name: String {
        switch self {
        case .block: "block"
        case .unblock: "unblock"
        case .forget: "forget"
        case .forgetClaims: "forget_claims"
        case .importDevices: "import"
        case .listLoad: "list_load"
        case .configurationLoad: "configuration_load"
        case .issueCertificate: "certificate_issue"
        case .revokeCertificate: "certificate_revoke"
        case .enrol: "enrol"
        case .removeEnrolment: "enrolment_remove"
        case .readmit: "readmit"
        case .createKey: "key_create"
        case .revokeKey: "key_revoke"
        case .resendWebhook: "webhook_resend"
        case .publishResultKey: "result_key_publish"
        case .signWithResultKey: "result_key_sign"
        case .setFlag: "flag_set"
        case .clearFlag: "flag_clear"
        }
    }
}

// MARK: Canonical bytes

/// The canonical bytes of a change (`docs/reference/audit-format.md`): version 2, kind, origin and flags (bit 0), one byte each; then caller, app,
/// device, target, digest (each empty if there is none), count (8 bytes, big-endian), name and reason, each behind its length as a
/// big-endian u32. Each change has exactly one encoding.
extension AuditChange {
    static let version: UInt8 = 2

    static func encode(
        _ kind: Kind, _ origin: ChangeOrigin, flag: Bool, _ app: AppID?, _ device: DeviceID?, _ target: Target?,
        _ digest: [UInt8], _ count: Int64, _ name: String, _ reason: String
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(usualSize)
        bytes += [version, kind.rawValue, origin.code, flag ? 1 : 0]
        bytes.append(field: origin.name)
        bytes.append(field: app?.text ?? "")
        bytes.append(field: device?.bytes ?? [])
        bytes.append(field: target?.bytes ?? [])
        bytes.append(field: digest)
        bytes.append(field: withUnsafeBytes(of: count.bigEndian) { Array($0) })
        bytes.append(field: name)
        bytes.append(field: reason)
        return bytes
    }

    /// Enough for a certificate that is issued, the most frequent change: it is written without allocating again.
    private static let usualSize = 192

    /// Decodes a change. `nil` for all other bytes, a later version or kind included.
    public init?(decoding bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.popFirst() == Self.version, let kind = rest.popFirst().flatMap(Kind.init(rawValue:)),
            let code = rest.popFirst(), let flags = rest.popFirst(), flags <= 1,
            let caller = rest.takeTextField(), let origin = ChangeOrigin(code, caller: caller),
            let appText = rest.takeTextField(), let deviceBytes = rest.takeField(), let targetBytes = rest.takeField(),
            let digest = rest.takeField(), [0, 32].contains(digest.count),
            let count = rest.takeField(), count.count == 8,
            let name = rest.takeTextField(), let reason = rest.takeTextField(), rest.isEmpty
        else { return nil }
        let (app, device, target) = (AppID(appText), DeviceID(bytes: deviceBytes), Target(targetBytes))
        guard app != nil || appText.isEmpty, device != nil || deviceBytes.isEmpty, target != nil || targetBytes.isEmpty
        else { return nil }
        self.init(
            kind, origin, app: app, device: device, target: target, digest: digest,
            count: Int64(bitPattern: count.reduce(0) { $0 << 8 | UInt64($1) }), flag: flags == 1, name: name, reason: reason)
    }
}

extension AuditChange.Target {
    /// The raw value of `BlockKind`, 1 byte, then the subject's keyed hash or the key id.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .subject(let hash): [BlockKind.subject.rawValue] + hash
        case .key(let id): [BlockKind.key.rawValue] + id
        }
    }

    fileprivate init?(_ bytes: [UInt8]) {
        switch bytes.first.flatMap(BlockKind.init(rawValue:)) {
        case .subject: self = .subject(Array(bytes.dropFirst()))
        case .key: self = .key(Array(bytes.dropFirst()))
        case .device, nil: return nil
        }
    }
}
