import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Devices`: the device registry.
package struct DevicesService: Sendable {
    let ledger: any DeviceRegistry & BlockRegistry & AuditLog
    let subjects: SubjectKey
    let clock: any WallClock
    let requestLog: RequestLog
    let recordings: FactRecorder
    let revoked: @Sendable () -> Void

    /// - Parameters:
    ///   - recordings: loses what is recorded of a device that is forgotten.
    ///   - revoked: called after certificates may have been revoked with their device. Never waits.
    package init(
        ledger: any DeviceRegistry & BlockRegistry & AuditLog, subjects: SubjectKey, clock: any WallClock,
        requestLog: RequestLog, recordings: FactRecorder = FactRecorder(), revoked: @escaping @Sendable () -> Void
    ) {
        self.ledger = ledger
        self.subjects = subjects
        self.clock = clock
        self.requestLog = requestLog
        self.recordings = recordings
        self.revoked = revoked
    }

    package var methods: [MethodBody] {
        [
            .unary(API.getDevice, reading: { try DeviceQuery($1) }) { _, app, query in
                let device = try await find(query, of: app.id)
                return device.message.judged(app.finding(of: device, at: clock.now()))
            },
            .unary(API.listDevices, reading: deviceListing) { _, app, listing in try await page(listing, of: app) },
            .unary(API.block, reading: blockFields, block),
            .unary(API.unblock, reading: { try target($1.target, $0) }, unblock),
            .unary(API.listBlocks, reading: blockListing) { _, _, listing in try await page(listing) },
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
        }
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
}

extension RPCError {
    static let unknownDevice = RPCError(
        .notFound, "no device of this app has that name or key", reason: "unknown_device")
}

/// By what `GetDeviceRequest` names a device.
private enum DeviceQuery {
    case id(DeviceID)
    case key([UInt8])

    init(_ message: Assay_V1_GetDeviceRequest) throws(RequestError) {
        switch message.by {
        case .deviceID(let bytes): self = .id(try DeviceID(field: "device_id", bytes))
        case .keyID(let bytes): self = .key(try bytes.bounded("key_id", by: DeviceKey.keyIDLimit))
        case nil: throw RequestError("by", "must name a device id or a key id")
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
    /// Devices or blocks on one page: by default, and at most. The longest record takes about 1300 bytes in a listing (a device with
    /// three blocks with long reasons and a finding), so that the longest page stays below a frame of 1 MiB.
    static let pageSize = PageSize(usual: 100, longest: 500)

    func page(_ listing: DeviceListing, of app: AppProfile) async throws(LedgerError) -> Assay_V1_ListDevicesResponse {
        let page = try await ledger.devices(listing)
        let now = clock.now()
        return .with {
            $0.devices = page.devices.map { $0.listed.judged(app.finding(of: $0, at: now)) }
            $0.nextPageToken = Data(page.next.map { PageToken(position: $0, of: listing).bytes } ?? [])
        }
    }

    func deviceListing(_ app: AppID, _ message: Assay_V1_ListDevicesRequest) throws(RequestError) -> DeviceListing {
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
        return try DeviceListing(app: app, subject: subject, isBlocked: isBlocked, limit: limit)
            .continued(by: message.pageToken)
    }
}

extension RequestError {
    static let foreignPageToken = RequestError("page_token", "must be that of a page of the same listing")
}
