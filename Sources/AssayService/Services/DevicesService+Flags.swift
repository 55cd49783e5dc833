import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// A flag of a device as a request names it.
struct NamedFlag {
    let device: DeviceID
    let name: String
    /// For operators.
    let reason: String

    init(_ deviceID: Data, _ name: String, reason: String) throws(RequestError) {
        device = try DeviceID(field: "device_id", deviceID)
        guard DeviceFlag.isName(name) else { throw .flagName }
        self.name = name
        try reason.check("reason", limit: DeviceFlag.detailLimit)
        self.reason = reason
    }
}

extension DevicesService {
    func flag(
        _ caller: Caller, _ app: AppProfile, _ fields: (flag: NamedFlag, until: Timestamp?)
    ) async throws -> Assay_V1_FlagDeviceResponse {
        let (named, context) = (fields.flag, context(of: caller))
        let until = fields.until ?? context.time.adding(milliseconds: DeviceFlag.longest)
        let flag = DeviceFlag(
            name: named.name, setter: .caller(caller.name), detail: named.reason, since: context.time, until: until)
        let outcome = try await change(.set(flag), to: named, of: app.id, by: caller, context)
        guard outcome != .tooMany else { throw RPCError.tooManyFlags }
        if outcome != .unchanged { logChange("flagged a device", named, of: app.id, by: caller) }
        return .with {
            $0.wasFlagged = outcome != .set
            $0.untilUnixMs = until.unixMilliseconds
        }
    }

    func unflag(_ caller: Caller, _ app: AppProfile, _ named: NamedFlag) async throws -> Assay_V1_UnflagDeviceResponse {
        let context = context(of: caller, reason: named.reason)
        let outcome = try await change(.clear(name: named.name, setter: nil), to: named, of: app.id, by: caller, context)
        if outcome == .cleared { logChange("unflagged a device", named, of: app.id, by: caller) }
        return .with { $0.wasFlagged = outcome == .cleared }
    }

    private func change(
        _ change: DeviceFlagChange, to named: NamedFlag, of app: AppID, by caller: Caller, _ context: ChangeContext
    ) async throws -> DeviceFlagOutcome {
        guard let outcome = try await ledger.change(change, of: named.device, app: app, context) else {
            throw RPCError.unknownDevice
        }
        flags.count(outcome, by: .caller(caller.name))
        return outcome
    }

    private func logChange(_ what: String, _ named: NamedFlag, of app: AppID, by caller: Caller) {
        requestLog.changed(what, by: caller, app: app, ["device": "\(named.device)", "flag": named.name])
    }

    func flagFields(_ message: Assay_V1_FlagDeviceRequest) throws(RequestError) -> (flag: NamedFlag, until: Timestamp?) {
        let flag = try NamedFlag(message.deviceID, message.flag, reason: message.reason)
        guard message.untilUnixMs != 0 else { return (flag, nil) }
        let (now, until) = (clock.now(), Timestamp(unixMilliseconds: message.untilUnixMs))
        guard now < until, until <= now.adding(milliseconds: DeviceFlag.longest) else {
            throw RequestError("until_unix_ms", "must be after \(now) and at most 400 days ahead, not \(until)")
        }
        return (flag, until)
    }
}

extension RequestError {
    static let flagName = RequestError("flag", "must be a name of the form [a-z0-9_]{1,32}")
}

extension RPCError {
    fileprivate static let tooManyFlags = RPCError(
        .failedPrecondition, "\(DeviceFlag.countLimit) flags stand on the device, as many as it may have",
        reason: "too_many_flags")
}
