import AssayAPI
import AssayCore
import AssayFramedRPC
package import AssayRPC
import Foundation
import SwiftProtobuf
import Synchronization

/// Answers the calls of one process of a plugin. Services that have to be declared answer for calls in flight only.
package final class HostCalls: PeerCallHandler {
    static let fieldLimit = 16

    private let host: any PluginHost
    /// The plugin's name, of which key ids and tokens are derived.
    private let plugin: String
    private let allowed: Mutex<Set<HostService>>
    private let inFlight = Mutex<[[UInt8]: (call: PluginCall, toldBlock: Bool)]>([:])
    /// Calls of Observe, each with the flags that were asked for in it.
    private let observing = Mutex<[[UInt8]: (call: ObserveCall, flags: Int)]>([:])
    private let unanswered = Atomic(0)
    /// The most flags that one call of Observe sets or clears: several for each of its verdicts.
    static let flagLimit = 512

    package init(_ host: any PluginHost, plugin: String) {
        (self.host, self.plugin) = (host, plugin)
        allowed = Mutex([])
    }

    /// Opens the services that the plugin declared and the catalog allows.
    package func allow(_ services: Set<HostService>) { allowed.withLock { $0 = services } }

    package func begin(_ call: PluginCall) { inFlight.withLock { $0[call.token] = (call, false) } }
    package func begin(_ call: ObserveCall) { observing.withLock { $0[call.token] = (call, 0) } }
    package func end(_ call: ObserveCall) { observing.withLock { $0[call.token] = nil } }
    package func end(_ call: PluginCall) { inFlight.withLock { $0[call.token] = nil } }

    /// Whether the plugin was told during a call that a device of the fleet is blocked.
    func toldBlock(in call: PluginCall) -> Bool { inFlight.withLock { $0[call.token]?.toldBlock ?? false } }

    /// Whether the plugin waits for the daemon: a call of its own is not answered yet.
    var isAnswering: Bool { unanswered.load(ordering: .relaxed) > 0 }

    // MARK: Answers

    package func handle(
        _ method: String, _ message: [UInt8], answer: @escaping @Sendable (Result<[UInt8], RPCError>) -> Void
    ) {
        unanswered.add(1, ordering: .relaxed)
        Task {
            defer { unanswered.subtract(1, ordering: .relaxed) }
            do {
                answer(.success(try await self.answer(to: method, message)))
            } catch let error as RPCError {
                answer(.failure(error))
            } catch is NoFleet {
                answer(.failure(.noFleet))
            } catch {
                answer(.failure(RPCError(.unavailable, "the daemon's store does not answer", cause: "\(error)")))
            }
        }
    }

    private static let prefix = "/assay.plugin.v1.Host/"

    private func answer(to method: String, _ message: [UInt8]) async throws -> [UInt8] {
        guard method.hasPrefix(Self.prefix) else { throw RPCError.unknownMethod(method) }
        let name = String(method.dropFirst(Self.prefix.count))
        switch (name, HostService(rawValue: name)) {
        case ("Log", _): return try await reply(message, log)
        case ("Measure", _): return try await reply(message, measure)
        case (_, .findDevice): return try await reply(message, findDevice)
        case (_, .findUsed): return try await reply(message, findUsed)
        case (_, .getAnchors): return try await reply(message, anchors)
        case (_, .findFleetDevice): return try await reply(message, findFleetDevice)
        case (_, .deriveKey): return try await reply(message, deriveKey)
        case (_, .flagDevice): return try await reply(message, flagDevice)
        case (_, nil): throw RPCError.unknownMethod(method)
        }
    }

    private func reply<Request: SwiftProtobuf.Message>(
        _ message: [UInt8], _ body: (Request) async throws -> some SwiftProtobuf.Message
    ) async throws -> [UInt8] {
        guard let request = try? Request(serializedBytes: message) else { throw RPCError.undecodableMessage }
        return try await body(request).serializedBytes()
    }

    /// The call that a request names. Throws unless the service is open and the call in flight.
    private func call(_ service: HostService, _ token: Data) throws -> PluginCall {
        guard allowed.withLock({ $0.contains(service) }) else { throw RPCError.notDeclared(service) }
        guard let call = inFlight.withLock({ $0[Array(token)]?.call }) else { throw RPCError.notInFlight }
        return call
    }

    private func digest(_ tag: String, _ value: [UInt8], _ call: PluginCall) -> [UInt8] {
        PluginScope.digest(tag, plugin: plugin, format: call.format, value)
    }

    /// The device that the plugin registered under a subject key.
    func device(ofSubjectKey key: [UInt8], in call: PluginCall) async throws -> Device? {
        try await host.device(keyID: digest(PluginScope.deviceTag, key, call), in: call)
    }

    // MARK: Services

    private func log(_ request: Assay_Plugin_V1_LogRequest) -> Assay_Plugin_V1_LogResponse {
        let fields = request.fields.prefix(Self.fieldLimit).map {
            (name: PluginText.sentence(String($0.name.prefix(PluginText.nameLimit))), value: PluginText.sentence($0.value))
        }
        host.log(PluginLogLevel(request.level), PluginText.sentence(request.message), fields)
        return Assay_Plugin_V1_LogResponse()
    }

    private func measure(_ request: Assay_Plugin_V1_MeasureRequest) throws -> Assay_Plugin_V1_MeasureResponse {
        let name: String
        do { name = try PluginText.name(request.name, of: "the metric") } catch {
            throw RPCError(.invalidArgument, error.description, reason: "invalid_name")
        }
        let isKept =
            switch request.value {
            case .increment(let increment): host.measures.count(name, increment)
            case .gauge(let value): host.measures.set(name, value)
            case nil: throw RPCError(.invalidArgument, "the metric has no value", reason: "missing_value")
            }
        guard isKept else {
            throw RPCError(
                .resourceExhausted, "a plugin has at most \(PluginMeasures.nameLimit) metrics", reason: "too_many_metrics")
        }
        return Assay_Plugin_V1_MeasureResponse()
    }

    private func findDevice(
        _ request: Assay_Plugin_V1_FindDeviceRequest
    ) async throws -> Assay_Plugin_V1_FindDeviceResponse {
        let call = try call(.findDevice, request.callToken)
        let device = try await device(ofSubjectKey: Array(request.subjectKey), in: call)
        return .with { response in
            if let device { response.device = Assay_Plugin_V1_Device(device, subjectKey: Array(request.subjectKey)) }
        }
    }

    private func findUsed(_ request: Assay_Plugin_V1_FindUsedRequest) async throws -> Assay_Plugin_V1_FindUsedResponse {
        let call = try call(.findUsed, request.callToken)
        guard request.tokens.count <= PluginAppraisal.tokenLimit else {
            throw RPCError(
                .invalidArgument, "\(request.tokens.count) tokens, want at most \(PluginAppraisal.tokenLimit)",
                reason: "too_many_tokens")
        }
        let digests = request.tokens.map { digest(PluginScope.tokenTag, Array($0), call) }
        let used = try await host.areUsed(digests, in: call)
        return .with { response in
            response.used = zip(digests, used).map { digest, isUsed in
                isUsed && !call.ownUses.contains(EvidenceUse.token(app: call.app, digest: digest))
            }
        }
    }

    private func anchors(_ request: Assay_Plugin_V1_GetAnchorsRequest) throws -> Assay_Plugin_V1_GetAnchorsResponse {
        _ = try call(.getAnchors, request.callToken)
        return .with { $0.certificates = host.anchors().map { Data($0) } }
    }

    private func findFleetDevice(
        _ request: Assay_Plugin_V1_FindFleetDeviceRequest
    ) async throws -> Assay_Plugin_V1_FindFleetDeviceResponse {
        let call = try call(.findFleetDevice, request.callToken)
        let device = try await host.fleetDevice(secret: Array(request.secret), in: call)
        if device?.isBlocked == true { inFlight.withLock { $0[call.token]?.toldBlock = true } }
        return .with { response in
            guard let device else { return }
            response.device = .with {
                ($0.id, $0.serial, $0.family) = (Data(device.id.bytes), Data(device.serial), Data(device.family.utf8))
                ($0.tables, $0.publicKey) = (device.tables.map { UInt32($0) }, Data(device.publicKey))
                $0.blocked = device.isBlocked
            }
        }
    }

    private func deriveKey(_ request: Assay_Plugin_V1_DeriveKeyRequest) async throws -> Assay_Plugin_V1_DeriveKeyResponse {
        let call = try call(.deriveKey, request.callToken)
        guard let table = UInt16(exactly: request.table), let index = UInt16(exactly: request.index),
            let key = try await host.fleetKey(table: table, index: index, in: call)
        else {
            throw RPCError(
                .notFound, "there is no key \(request.index) in a table \(request.table)", reason: "unknown_table")
        }
        return .with { $0.key = Data(key) }
    }

    private func flagDevice(_ request: Assay_Plugin_V1_FlagDeviceRequest) async throws -> Assay_Plugin_V1_FlagDeviceResponse {
        guard allowed.withLock({ $0.contains(.flagDevice) }) else { throw RPCError.notDeclared(.flagDevice) }
        let token = Array(request.callToken)
        let found = observing.withLock { calls in
            calls[token]?.flags += 1
            return calls[token]
        }
        guard let found else { throw RPCError.notInFlight }
        guard found.flags <= Self.flagLimit else {
            throw RPCError(
                .resourceExhausted, "one call of Observe sets at most \(Self.flagLimit) flags", reason: "too_many_flags")
        }
        guard let app = String(validating: request.app, as: UTF8.self).flatMap(AppID.init), found.call.apps.contains(app) else {
            throw RPCError(.permissionDenied, "the plugin does not serve the app", reason: "app_not_served")
        }
        guard let device = DeviceID(bytes: Array(request.deviceID)) else {
            throw RPCError(
                .invalidArgument, "device_id has \(request.deviceID.count) bytes, want 16", reason: "invalid_device_id")
        }
        let outcome = try await host.flag(device, of: app, try PluginFlag(request))
        guard outcome != .tooMany else {
            throw RPCError(
                .resourceExhausted, "\(DeviceFlag.countLimit) flags stand on the device, as many as it may have",
                reason: "too_many_flags")
        }
        return .with { $0.found = outcome != nil }
    }
}

extension PluginFlag {
    fileprivate init(_ request: Assay_Plugin_V1_FlagDeviceRequest) throws(RPCError) {
        guard let name = String(validating: request.flag, as: UTF8.self), DeviceFlag.isName(name) else {
            throw RPCError(
                .invalidArgument, "flag has \(request.flag.count) bytes and is not of the form [a-z0-9_]{1,32}",
                reason: "invalid_flag")
        }
        guard request.detail.utf8.count <= DeviceFlag.detailLimit else {
            throw RPCError(
                .invalidArgument, "detail has \(request.detail.utf8.count) bytes, want at most \(DeviceFlag.detailLimit)",
                reason: "invalid_detail")
        }
        self.init(name: name, detail: request.detail, until: Timestamp(unixMilliseconds: request.untilUnixMs))
    }
}

extension Assay_Plugin_V1_Device {
    init(_ device: Device, subjectKey: [UInt8]) {
        self.init()
        (id, self.subjectKey) = (Data(device.id.bytes), Data(subjectKey))
        publicKey = Data(device.registration.publicKey)
        counter = Int64(device.counter)
        registeredAtUnixMs = device.registeredAt.unixMilliseconds
        claims = device.registration.claims.all.map { Assay_Plugin_V1_Claim($0) }
    }
}

extension Assay_Plugin_V1_Claim {
    init(_ claim: Claims.Claim) {
        self.init()
        name = Data(claim.name.utf8)
        switch claim.value {
        case .text(let text): value = .text(Data(text.utf8))
        case .integer(let number): value = .integer(number)
        case .boolean(let truth): value = .boolean(truth)
        case .bytes(let bytes): value = .binary(Data(bytes))
        case .texts(let texts): value = .texts(.with { $0.values = texts.map { Data($0.utf8) } })
        case .time(let time): value = .timeUnixMs(time.unixMilliseconds)
        }
    }
}

extension PluginLogLevel {
    fileprivate init(_ level: Assay_Plugin_V1_Level) {
        switch level {
        case .debug: self = .debug
        case .warning: self = .warning
        case .error: self = .error
        case .info, .unspecified, .UNRECOGNIZED: self = .info
        }
    }
}

extension RPCError {
    fileprivate static func notDeclared(_ service: HostService) -> RPCError {
        RPCError(
            .permissionDenied, "the plugin did not declare \(service.rawValue), or the catalog does not allow it",
            reason: "not_declared")
    }
    fileprivate static let notInFlight = RPCError(
        .permissionDenied, "call_token is not that of a call in flight", reason: "not_in_flight")
    fileprivate static let noFleet = RPCError(
        .failedPrecondition, "the app has no fleet", reason: "fleet_not_configured")
}
