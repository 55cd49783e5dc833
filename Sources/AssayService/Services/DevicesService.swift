import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Devices`: the device registry.
package struct DevicesService: Sendable {
    let ledger: any DeviceRegistry & DeviceFlagRegistry & BlockRegistry & CertificateRegistry & EnrolmentRegistry & AuditLog
    let subjects: SubjectKey
    let clock: any WallClock
    let requestLog: RequestLog
    let recordings: FactRecorder
    let flags: DeviceFlagCounters
    let revoked: @Sendable () -> Void

    /// - Parameters:
    ///   - recordings: loses what is recorded of a device that is forgotten.
    ///   - flags: counts what callers set and clear.
    ///   - revoked: called after certificates may have been revoked with their device. Never waits.
    package init(
        ledger: any DeviceRegistry & DeviceFlagRegistry & BlockRegistry & CertificateRegistry & EnrolmentRegistry & AuditLog,
        subjects: SubjectKey, clock: any WallClock,
        requestLog: RequestLog, recordings: FactRecorder = FactRecorder(), flags: DeviceFlagCounters,
        revoked: @escaping @Sendable () -> Void
    ) {
        self.ledger = ledger
        self.subjects = subjects
        self.clock = clock
        self.requestLog = requestLog
        self.recordings = recordings
        self.flags = flags
        self.revoked = revoked
    }

    package var methods: [MethodBody] {
        [
            .unary(API.getDevice, reading: { try DeviceQuery($1) }) { _, app, query in
                let (device, now) = (try await find(query, of: app.id), clock.now())
                let counts = try await ledger.certificateCounts(of: [device.id], at: now)[device.id]
                return device.message.judged(app.finding(of: device, counts, at: now)).certified(counts)
                    .flagged(device.flags, at: now)
            },
            .unary(API.listDevices, reading: deviceQuery) { _, app, query in
                switch query {
                case .page(let listing): try await page(listing, of: app)
                case .serial(let serial, let listing): try await page(ofSerial: serial, listing, of: app)
                }
            },
            .unary(API.block, reading: blockFields, block),
            .unary(API.unblock, reading: { try target($1.target, $0) }, unblock),
            .unary(API.listBlocks, reading: blockListing) { _, _, listing in try await page(listing) },
            .unary(API.flagDevice, reading: { try flagFields($1) }, flag),
            .unary(API.unflagDevice, reading: { try NamedFlag($1.deviceID, $1.flag, reason: $1.reason) }, unflag),
            .unary(API.forgetDevice, reading: { try ForgetFields($1) }, forget),
            .unary(API.importDevices, reading: { try ImportCandidate.all(of: $1) }, importDevices),
        ]
    }

    private func find(_ query: DeviceQuery, of app: AppID) async throws -> Device {
        switch query {
        case .id(let id): return try await device(id, of: app)
        case .key(let keyID):
            guard let device = try await ledger.device(DeviceKey(app: app, keyID: keyID)) else { throw RPCError.unknownDevice }
            return device
        case .serial(let serial):
            guard let device = try await device(ofSerial: serial, app: app) else { throw RPCError.unknownDevice }
            return device
        }
    }

    /// The registered device that was provisioned last under a serial number.
    private func device(ofSerial serial: [UInt8], app: AppID) async throws(LedgerError) -> Device? {
        guard let record = try await ledger.fleetDevice(serial: serial, app: app) else { return nil }
        return try await ledger.device(record.device)
    }

    private func forget(
        _ caller: Caller, _ app: AppProfile, _ fields: ForgetFields
    ) async throws -> Assay_V1_ForgetDeviceResponse {
        _ = try await device(fields.id, of: app.id)
        // The device last: if a step fails, a repeated call still finds it.
        let context = context(of: caller, reason: fields.reason)
        _ = try await ledger.forgetAuditClaims(of: fields.id, app: app.id, context)
        do throws(VerdictRecordError) {
            _ = try await recordings.forget(fields.id, of: app.id)
        } catch { throw RPCError.recordingsUnavailable(error) }
        guard let forgotten = try await ledger.forget(fields.id, context) else { throw RPCError.unknownDevice }
        revoked()
        requestLog.changed(
            "forgot a device", by: caller, app: app.id,
            ["device": "\(fields.id)", "key_stays_blocked": "\(forgotten.keyStaysBlocked)"])
        return .with { $0.keyStaysBlocked = forgotten.keyStaysBlocked }
    }

    /// Who makes a change, when and why: for the audit log.
    func context(of caller: Caller, reason: String = "") -> ChangeContext {
        ChangeContext(.caller(caller.name), at: clock.now(), reason: reason)
    }

    /// The device with that id, if it belongs to the app.
    func device(_ id: DeviceID, of app: AppID) async throws -> Device {
        guard let device = try await ledger.device(id), device.app == app else { throw RPCError.unknownDevice }
        return device
    }
}

extension Assay_V1_Device {
    /// The message with what the device is refused for today.
    fileprivate func judged(_ finding: DeviceFinding?) -> Assay_V1_Device {
        guard let finding else { return self }
        var message = self
        message.noLongerGood = .with { ($0.code, $0.check, $0.detail) = (finding.code, finding.check, finding.detail) }
        return message
    }

    /// The message with those flags that stand.
    fileprivate func flagged(_ flags: [DeviceFlag], at now: Timestamp) -> Assay_V1_Device {
        guard !flags.isEmpty else { return self }
        var message = self
        message.flags = flags.filter { $0.stands(at: now) }.map { flag in
            .with {
                ($0.name, $0.detail) = (flag.name, flag.detail)
                switch flag.setter {
                case .plugin(let id): $0.plugin = id
                case .caller(let name): $0.caller = name
                }
                ($0.sinceUnixMs, $0.untilUnixMs) = (flag.since.unixMilliseconds, flag.until.unixMilliseconds)
            }
        }
        return message
    }

    /// The message with the number of its certificates.
    fileprivate func certified(_ counts: CertificateCounts?) -> Assay_V1_Device {
        guard let counts else { return self }
        var message = self
        message.certificates = .with {
            $0.good = UInt32(clamping: counts.good)
            $0.revoked = UInt32(clamping: counts.revoked)
            $0.expired = UInt32(clamping: counts.expired)
        }
        return message
    }
}

extension DeviceFlag {
    /// The flag in a listing: without its detail, so that pages stay small.
    fileprivate var listed: DeviceFlag {
        DeviceFlag(name: name, setter: setter, detail: "", since: since, until: until)
    }
}

extension AppProfile {
    /// The same for a device of a fleet, whose evidence is signed by the key of a certificate: without a good one all of it is refused.
    fileprivate func finding(of device: Device, _ counts: CertificateCounts?, at now: Timestamp) -> DeviceFinding? {
        if let finding = finding(of: device, at: now) { return finding }
        guard device.registration.format == .fleetDevice, !device.isBlocked, let counts, counts.good == 0 else { return nil }
        let isRevoked = counts.revoked > 0
        let code: ReasonCode = isRevoked ? .revoked : .expired
        let states = [(counts.revoked, "revoked"), (counts.expired, "expired")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return DeviceFinding(
            code: code.rawValue, check: "certificate",
            detail: "it has no good certificate: \(states.joined(separator: ", "))", policyDigest: policyDigest, feed: nil)
    }
}

extension RPCError {
    static let unknownDevice = RPCError(
        .notFound, "no device of this app has that name, key or serial number", reason: "unknown_device")
}

/// By what `GetDeviceRequest` names a device.
private enum DeviceQuery {
    case id(DeviceID)
    case key([UInt8])
    case serial([UInt8])

    init(_ message: Assay_V1_GetDeviceRequest) throws(RequestError) {
        switch message.by {
        case .deviceID(let bytes): self = .id(try DeviceID(field: "device_id", bytes))
        case .keyID(let bytes): self = .key(try bytes.bounded("key_id", by: DeviceKey.keyIDLimit))
        case .deviceSerial(let text):
            guard let serial = try FleetRequest.wanted(text) else { throw RequestError("device_serial", "must not be empty") }
            self = .serial(serial)
        case nil: throw RequestError("by", "must name a device id, a key id or a serial number")
        }
    }
}

private struct ForgetFields {
    let id: DeviceID
    let reason: String

    init(_ message: Assay_V1_ForgetDeviceRequest) throws(RequestError) {
        id = try DeviceID(field: "device_id", message.deviceID)
        reason = message.reason
        try reason.check("reason", limit: DevicesService.reasonLimit)
    }
}

extension DevicesService {
    /// Devices or blocks on one page: by default, and at most. The longest record takes about 2000 bytes in a listing (a device with
    /// three blocks with long reasons, a finding and eight flags without details), so that the longest page stays below a frame of 1 MiB.
    static let pageSize = PageSize(usual: 100, longest: 500)

    func page(_ listing: DeviceListing, of app: AppProfile) async throws(LedgerError) -> Assay_V1_ListDevicesResponse {
        let page = try await ledger.devices(listing)
        let devices = try await listed(page.devices, of: app)
        return .with {
            $0.devices = devices
            $0.nextPageToken = Data(page.next.map { PageToken(position: $0, of: listing).bytes } ?? [])
        }
    }

    /// The device of a serial number, in the form of a page, if the listing selects it.
    func page(
        ofSerial serial: [UInt8], _ listing: DeviceListing, of app: AppProfile
    ) async throws(LedgerError) -> Assay_V1_ListDevicesResponse {
        guard let device = try await device(ofSerial: serial, app: app.id),
            listing.subject == nil || listing.subject == device.subject,
            listing.selects(isBlocked: device.isBlocked, flags: device.flags)
        else { return Assay_V1_ListDevicesResponse() }
        let devices = try await listed([device], of: app)
        return .with { $0.devices = devices }
    }

    private func listed(_ devices: [Device], of app: AppProfile) async throws(LedgerError) -> [Assay_V1_Device] {
        let now = clock.now()
        let counts = try await ledger.certificateCounts(of: devices.map(\.id), at: now)
        return devices.map {
            $0.listed.judged(app.finding(of: $0, counts[$0.id], at: now)).certified(counts[$0.id])
                .flagged($0.flags.map(\.listed), at: now)
        }
    }

    /// What a listing asks for.
    enum DevicesQuery {
        case page(DeviceListing)
        case serial([UInt8], DeviceListing)
    }

    func deviceQuery(_ app: AppID, _ message: Assay_V1_ListDevicesRequest) throws(RequestError) -> DevicesQuery {
        let isBlocked: Bool? =
            switch message.state {
            case .unspecified: nil
            case .active: false
            case .blocked: true
            case .UNRECOGNIZED: throw RequestError("state", "must be ACTIVE, BLOCKED or left out")
            }
        let subject = subjects.hash(
            try message.subject.bounded("subject", by: VerificationRequest.subjectLimit), app: app)
        let limit = try Self.pageSize.limit(message.pageSize)
        guard message.flag.isEmpty || DeviceFlag.isName(message.flag) else {
            throw .flagName
        }
        let flag = message.flag.isEmpty ? nil : DeviceListing.Flag(name: message.flag, at: clock.now())
        let listing = DeviceListing(app: app, subject: subject, isBlocked: isBlocked, flag: flag, limit: limit)
        guard let serial = try FleetRequest.wanted(message.deviceSerial) else {
            return .page(try listing.continued(by: message.pageToken))
        }
        // There is one at most, so that no page follows.
        guard message.pageToken.isEmpty else { throw .foreignPageToken }
        return .serial(serial, listing)
    }
}

extension RequestError {
    static let foreignPageToken = RequestError("page_token", "must be that of a page of the same listing")
}
