import AssayAPI
package import AssayCore
package import AssayRPC
import SwiftProtobuf

/// `assay.v1.Devices`: the registry.
package struct DevicesService: Sendable {
    let authorizer: CallAuthorizer
    let ledger: any DeviceRegistry & BlockRegistry & AuditLog
    let subjects: SubjectKey
    let clock: any WallClock
    /// Through which long readings go, once they are authorised.
    let limiter: ConcurrencyLimiter

    package init(
        authorizer: CallAuthorizer, ledger: any DeviceRegistry & BlockRegistry & AuditLog, subjects: SubjectKey,
        clock: any WallClock, limiter: ConcurrencyLimiter
    ) {
        self.authorizer = authorizer
        self.ledger = ledger
        self.subjects = subjects
        self.clock = clock
        self.limiter = limiter
    }

    package var methods: [RPCMethod] {
        [
            RPCMethod(
                path: MethodDeclaration.getDevice.path,
                handler: .unary { call async throws(RPCError) in try await get(call).message }),
            RPCMethod(
                path: MethodDeclaration.listDevices.path,
                handler: .unary { call async throws(RPCError) in try await list(call) }),
            RPCMethod(
                path: MethodDeclaration.block.path,
                handler: .unary { call async throws(RPCError) in try await block(call) }),
            RPCMethod(
                path: MethodDeclaration.unblock.path,
                handler: .unary { call async throws(RPCError) in try await unblock(call) }),
            RPCMethod(
                path: MethodDeclaration.listBlocks.path,
                handler: .unary { call async throws(RPCError) in try await listBlocks(call) }),
            RPCMethod(
                path: MethodDeclaration.forgetDevice.path,
                handler: .unary { call async throws(RPCError) in try await forget(call) }),
            RPCMethod(
                path: MethodDeclaration.importDevices.path,
                handler: .unary { call async throws(RPCError) in try await importDevices(call) }),
        ]
    }

    private func get(_ call: RPCCall) async throws(RPCError) -> Device {
        let caller = try authorizer.admit(call.peer, to: .getDevice)
        let message = try call.decode(Assay_V1_GetDeviceRequest.self)
        let query: DeviceQuery
        do { query = try DeviceQuery(message) } catch { throw RPCError(error) }
        _ = try authorizer.profile(of: query.app, for: caller)
        switch query.by {
        case .id(let id): return try await device(id, of: query.app)
        case .key(let keyID):
            let device = try await ask { () async throws(LedgerError) in
                try await ledger.device(DeviceKey(app: query.app, keyID: keyID))
            }
            guard let device else { throw .unknownDevice }
            return device
        }
    }

    private func forget(_ call: RPCCall) async throws(RPCError) -> Assay_V1_ForgetDeviceResponse {
        let caller = try authorizer.admit(call.peer, to: .forgetDevice)
        let message = try call.decode(Assay_V1_ForgetDeviceRequest.self)
        let (app, id): (AppID, DeviceID)
        do throws(RequestError) {
            (app, id) = (try AppID(field: message.app), try DeviceID(field: "device_id", message.deviceID))
            try message.reason.check("reason", limit: Self.reasonLimit)
        } catch {
            throw RPCError(error)
        }
        _ = try authorizer.profile(of: app, for: caller)
        return try await limiter.pass(call) { () async throws(RPCError) in
            _ = try await device(id, of: app)
            // Claims first: if that is as far as it gets, whoever asks again still finds the device.
            let context = context(of: caller, reason: message.reason)
            _ = try await ask { () async throws(LedgerError) in
                try await ledger.forgetAuditClaims(of: id, app: app, context)
            }
            let forgotten = try await ask { () async throws(LedgerError) in try await ledger.forget(id, context) }
            guard let forgotten else { throw .unknownDevice }
            authorizer.requestLog.changed(
                "forgot a device", by: caller, app: app,
                ["device": "\(id)", "key_stays_blocked": "\(forgotten.keyStaysBlocked)"])
            return .with { $0.keyStaysBlocked = forgotten.keyStaysBlocked }
        }
    }

    /// What the audit log says of a change beside the change.
    func context(of caller: Caller, reason: String = "") -> ChangeContext {
        ChangeContext(.caller(caller.name), at: clock.now(), reason: reason)
    }

    /// The device of that name, if it is one of the app's.
    func device(_ id: DeviceID, of app: AppID) async throws(RPCError) -> Device {
        let device = try await ask { () async throws(LedgerError) in try await ledger.device(id) }
        guard let device, device.app == app else { throw .unknownDevice }
        return device
    }

    func ask<T>(_ question: () async throws(LedgerError) -> T) async throws(RPCError) -> T {
        do { return try await question() } catch { throw RPCError(error) }
    }
}

extension RPCError {
    static let unknownDevice = RPCError(
        .notFound, "no device of this app has that name or key", reason: "unknown_device")
}

/// A shaped `GetDeviceRequest`.
private struct DeviceQuery {
    enum By {
        case id(DeviceID)
        case key([UInt8])
    }
    let app: AppID
    let by: By

    init(_ message: Assay_V1_GetDeviceRequest) throws(RequestError) {
        app = try AppID(field: message.app)
        switch message.by {
        case .deviceID(let bytes): by = .id(try DeviceID(field: "device_id", bytes))
        case .keyID(let bytes): by = .key(try bytes.bounded("key_id", by: DeviceKey.keyIDLimit))
        case nil: throw RequestError("by", "must name a device id or a key id")
        }
    }
}
