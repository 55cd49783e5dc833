import AssayAPI
import AssayCore
import AssayRPC
import SwiftProtobuf

extension DevicesService {
    /// The longest reason, in bytes.
    static let reasonLimit = 256

    func block(_ call: RPCCall) async throws(RPCError) -> Assay_V1_BlockResponse {
        let caller = try authorizer.admit(call.peer, to: .block)
        let message = try call.decode(Assay_V1_BlockRequest.self)
        let (app, target): (AppID, BlockTarget)
        do throws(RequestError) {
            app = try AppID(field: message.app)
            target = try shape(message.target, app)
            try message.reason.check("reason", limit: Self.reasonLimit)
            guard !message.reason.isEmpty else { throw RequestError("reason", "must be given") }
        } catch {
            throw RPCError(error)
        }
        let context = context(of: caller, reason: message.reason)
        let change = try await change(target, of: app, for: caller) { () async throws(LedgerError) in
            try await ledger.block(target, context)
        }
        authorizer.requestLog.changed("blocked", by: caller, app: app, target.names(change))
        return .with {
            $0.devices = UInt32(clamping: change.devices)
            $0.wasBlocked = change.wasBlocked
        }
    }

    func unblock(_ call: RPCCall) async throws(RPCError) -> Assay_V1_UnblockResponse {
        let caller = try authorizer.admit(call.peer, to: .unblock)
        let message = try call.decode(Assay_V1_UnblockRequest.self)
        let (app, target): (AppID, BlockTarget)
        do throws(RequestError) {
            app = try AppID(field: message.app)
            target = try shape(message.target, app)
        } catch {
            throw RPCError(error)
        }
        let context = context(of: caller)
        let change = try await change(target, of: app, for: caller) { () async throws(LedgerError) in
            try await ledger.unblock(target, context)
        }
        if change.wasBlocked { authorizer.requestLog.changed("unblocked", by: caller, app: app, target.names(change)) }
        return .with {
            $0.devices = UInt32(clamping: change.devices)
            $0.wasBlocked = change.wasBlocked
            $0.stillBlocked = UInt32(clamping: change.blocked)
        }
    }

    /// Makes a change, if the caller may and the target is one of the app's.
    private func change(
        _ target: BlockTarget, of app: AppID, for caller: Caller, _ make: () async throws(LedgerError) -> BlockChange?
    ) async throws(RPCError) -> BlockChange {
        _ = try authorizer.profile(of: app, for: caller)
        if case .device(let id) = target { _ = try await device(id, of: app) }
        guard let change = try await ask(make) else { throw .unknownDevice }
        return change
    }

    /// What a request names, with the subject hashed.
    func shape(_ message: Assay_V1_BlockTarget, _ app: AppID) throws(RequestError) -> BlockTarget {
        try message.refuseUnknown("target")
        switch message.what {
        case .deviceID(let bytes): return .device(try DeviceID(field: "target.device_id", bytes))
        case .subject(let bytes):
            let subject = try bytes.bounded("target.subject", by: VerificationRequest.subjectLimit)
            guard let hash = subjects.hash(subject, app: app) else {
                throw RequestError("target.subject", "must not be empty")
            }
            return .subject(hash, of: app)
        case .keyID(let bytes):
            let keyID = try bytes.bounded("target.key_id", by: DeviceKey.keyIDLimit)
            guard !keyID.isEmpty else { throw RequestError("target.key_id", "must not be empty") }
            return .key(DeviceKey(app: app, keyID: keyID))
        case nil: throw RequestError("target", "must name a device, a subject or a key")
        }
    }
}

extension BlockTarget {
    /// What the log calls a block by. Subjects and keys are in no line.
    fileprivate func names(_ change: BlockChange) -> [String: String] {
        var names = ["devices": "\(change.devices)"]
        switch self {
        case .device(let id): (names["by"], names["device"]) = ("device", "\(id)")
        case .subject: names["by"] = "subject"
        case .key: names["by"] = "key"
        }
        return names
    }
}
