internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What a plugin may ask of the daemon while it serves a call. Each answers for the call's app, plugin and format.
///
/// A host that does not answer ends the call with UNAVAILABLE, also where the plugin catches the error. `log`,
/// `count` and `gauge` are open to all; the others have to be in `PluginDescription.hostServices`.
public final class Host {
    private let channel: Channel
    private let token: [UInt8]
    /// Monotonic, in microseconds.
    private let deadline: Int64?
    /// Why the call cannot be answered well any more.
    private(set) var failure: Status?
    /// The connection cannot go on.
    private(set) var broken: Connection.Fault?

    /// The host did not answer. The call ends with a status, also where this error is caught.
    public struct Unanswered: Error, Sendable {
        public let sentence: String
    }

    init(_ channel: Channel, token: [UInt8], deadline: Int64?) {
        self.channel = channel
        self.token = token
        self.deadline = deadline
    }

    /// A device that this plugin registered; `nil` if there is none, or it is blocked.
    public func findDevice(subjectKey: [UInt8]) throws -> Device? {
        var request = Assay_Plugin_V1_FindDeviceRequest.with { $0.callToken = Data(token) }
        request.subjectKey = Data(subjectKey)
        let response: Assay_Plugin_V1_FindDeviceResponse = try ask("FindDevice", request, nested: [1])
        return response.hasDevice ? Device(response.device) : nil
    }

    /// Which of 1 to 4 tokens were used, in their order. Another request may use them in between: the daemon checks again when it
    /// accepts.
    public func findUsed(tokens: [[UInt8]]) throws -> [Bool] {
        guard (1...Appraisal.tokenLimit).contains(tokens.count) else {
            throw Fault.internal("too_many_tokens", "expected 1 to \(Appraisal.tokenLimit) tokens, found \(tokens.count)")
        }
        var request = Assay_Plugin_V1_FindUsedRequest.with { $0.callToken = Data(token) }
        request.tokens = tokens.map { Data($0) }
        let response: Assay_Plugin_V1_FindUsedResponse = try ask("FindUsed", request)
        guard response.used.count == tokens.count else {
            throw undecodable("the host answered for \(response.used.count) tokens of \(tokens.count)")
        }
        return response.used
    }

    /// The certificates (DER) of the catalog's entry, at most 64.
    public func anchors() throws -> [[UInt8]] {
        let request = Assay_Plugin_V1_GetAnchorsRequest.with { $0.callToken = Data(token) }
        let response: Assay_Plugin_V1_GetAnchorsResponse = try ask("GetAnchors", request)
        return response.certificates.map { Array($0) }
    }

    /// The device of the app's fleet that has a secret of 32 bytes; `nil` if none has.
    public func findFleetDevice(secret: [UInt8]) throws -> FleetDevice? {
        var request = Assay_Plugin_V1_FindFleetDeviceRequest.with { $0.callToken = Data(token) }
        request.secret = Data(secret)
        let response: Assay_Plugin_V1_FindFleetDeviceResponse = try ask("FindFleetDevice", request)
        return response.hasDevice ? FleetDevice(response.device) : nil
    }

    /// A key of the app's fleet, 32 bytes: `index` (0 to 999) of `table` (0 to 2499). `nil`: the fleet has no such table.
    public func deriveKey(table: UInt32, index: UInt32) throws -> [UInt8]? {
        var request = Assay_Plugin_V1_DeriveKeyRequest.with { $0.callToken = Data(token) }
        request.table = table
        request.index = index
        let reply = try exchange("DeriveKey", request)
        if reply.status.isCode(.notFound) { return nil }
        let response: Assay_Plugin_V1_DeriveKeyResponse = try read(reply, "DeriveKey", nested: [])
        guard response.key.count == 32 else {
            throw undecodable("the host answered with a key of \(response.key.count) bytes, expected 32")
        }
        return Array(response.key)
    }
}

/// A device of the app's fleet.
public struct FleetDevice: Sendable {
    public let id: [UInt8]
    public let serial: String
    public let family: String
    /// The numbers of its three key tables.
    public let tables: [UInt32]
    /// SubjectPublicKeyInfo (DER) of its certificate's key.
    public let publicKey: [UInt8]
    public let blocked: Bool
}

// MARK: Log and metrics

extension Host {
    public enum Level: Int, Sendable {
        case debug = 1
        case info, warning, error
    }

    /// Writes a line of at most 1024 bytes to the daemon's log, with at most 16 fields. No secrets, no evidence.
    public func log(_ level: Level, _ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        var request = Assay_Plugin_V1_LogRequest()
        request.level = Assay_Plugin_V1_Level(rawValue: level.rawValue) ?? .unspecified
        request.message = Text.sentence(message)
        request.fields = fields.prefix(16).map { field in
            var written = Assay_Plugin_V1_LogField()
            written.name = Text.sentence(field.key)
            written.value = Text.sentence(field.value)
            return written
        }
        tell("Log", request)
    }

    /// Adds to `assay_plugin_value{name=}` of the daemon's metrics. At most 32 names of `[a-z0-9_]{1,64}` in all.
    public func count(_ name: String, by increment: UInt64 = 1) {
        measure(name, .increment(increment))
    }

    /// Sets `assay_plugin_value{name=}` of the daemon's metrics.
    public func gauge(_ name: String, _ value: Double) {
        measure(name, .gauge(value))
    }

    private func measure(_ name: String, _ value: Assay_Plugin_V1_MeasureRequest.OneOf_Value) {
        var request = Assay_Plugin_V1_MeasureRequest()
        request.name = Data(name.utf8)
        request.value = value
        tell("Measure", request)
    }

    /// Begins a call whose reply decides nothing.
    private func tell(_ method: String, _ request: some Message) {
        guard broken == nil, let message: [UInt8] = try? request.serializedBytes() else { return }
        do throws(Connection.Fault) {
            try channel.tell(Self.path + method, message, deadline: deadline)
        } catch {
            broken = error
        }
    }
}

// MARK: Calls

extension Host {
    private static let path = "/assay.plugin.v1.Host/"

    private func ask<Response: Message>(_ method: String, _ request: some Message, nested: Set<UInt64> = []) throws -> Response
    {
        try read(exchange(method, request), method, nested: nested)
    }

    private func exchange(_ method: String, _ request: some Message) throws -> Frame.Reply {
        if let broken { throw Unanswered(sentence: broken.sentence) }
        let message: [UInt8] = try request.serializedBytes()
        guard message.count < Connection.frameLimit - 1024 else {
            throw Fault.internal("request_too_large", "a request of \(message.count) bytes to the host is larger than a frame")
        }
        let answer: Channel.HostReply
        do throws(Connection.Fault) {
            answer = try channel.ask(Self.path + method, message, deadline: deadline)
        } catch {
            broken = error
            throw Unanswered(sentence: error.sentence)
        }
        switch answer {
        case .reply(let reply): return reply
        case .gone: throw fail(.unavailable, "host_gone", "the connection ended before the host answered \(method)")
        case .late:
            throw fail(.deadlineExceeded, "deadline_exceeded", "the deadline passed before the host answered \(method)")
        }
    }

    private func read<Response: Message>(_ reply: Frame.Reply, _ method: String, nested: Set<UInt64>) throws -> Response {
        guard reply.status.code == 0 else {
            let status = reply.status
            throw fail(
                .unavailable, "host_refused",
                "the host answered \(method) with status \(status.code), \(status.reason): \(status.message)")
        }
        switch MessageReader.read(Response.self, reply.message, nested: nested) {
        case .message(let response): return response
        case .tooLarge: throw fail(.resourceExhausted, "too_much_memory", "the host's answer to \(method) has too many fields")
        case .undecodable: throw undecodable("the host's answer to \(method) cannot be decoded")
        }
    }

    private func undecodable(_ sentence: String) -> Unanswered { fail(.unavailable, "host_undecodable", sentence) }

    private func fail(_ code: Status.Code, _ reason: String, _ sentence: String) -> Unanswered {
        failure = failure ?? Status(code, reason, sentence)
        return Unanswered(sentence: sentence)
    }
}
