internal import SwiftProtobuf

/// Serves the daemon's calls, one after the other.
final class Server<Author: Plugin> {
    let description = Author.description
    let channel: Channel
    /// The configured plugin.
    var plugin: Author?

    init(_ channel: Channel) { self.channel = channel }

    /// Returns at the end of the connection.
    func run() throws(Connection.Fault) {
        while let call = try channel.nextCall() {
            let began = System.microseconds()
            let answer = serve(call)
            if let broken { throw broken }
            try channel.connection.put(answer)
            // Before the next call of a plugin that takes its time.
            try channel.connection.flushOld(than: began)
        }
        try channel.connection.flush()
    }

    /// What a host saw of the end of the connection.
    private var broken: Connection.Fault?

    // MARK: One call

    private func serve(_ call: Channel.Call) -> [UInt8] {
        do {
            return reply(call.id, try answer(call))
        } catch let error as Fault {
            return WireWriter.reply(call.id, error.status)
        } catch {
            // Only the type: what an author's error says may be a secret.
            let sentence = "the plugin failed: it threw \(type(of: error))"
            return WireWriter.reply(call.id, Status(.internal, "plugin_failed", sentence))
        }
    }

    private func reply(_ id: UInt64, _ message: [UInt8]) -> [UInt8] {
        let frame = WireWriter.reply(id, message)
        guard frame.count <= Connection.frameLimit else {
            return WireWriter.reply(id, Status(.internal, "reply_too_large", "the plugin's answer is larger than a frame"))
        }
        return frame
    }

    private func answer(_ call: Channel.Call) throws -> [UInt8] {
        let path = call.content.method
        guard path.hasPrefix(Self.path), let method = Method(rawValue: String(path.dropFirst(Self.path.count))),
            path.hasBytes(of: Self.path + method.rawValue)
        else {
            throw Self.fault(.unimplemented, "unknown_method", "there is no method \(Text.bounded(path, to: 80))")
        }
        guard call.content.metadataCount <= 32 else {
            throw Self.fault(.invalidArgument, "too_much_metadata", "a call has at most 32 entries of metadata")
        }
        guard call.content.timeoutMilliseconds <= UInt64(UInt32.max) else {
            throw Self.fault(.invalidArgument, "timeout_too_long", "timeout_ms has more than 32 bits")
        }
        if let deadline = call.deadline, System.microseconds() >= deadline {
            throw Self.fault(.deadlineExceeded, "deadline_exceeded", "the deadline passed before the call was begun")
        }
        return try serve(method, call)
    }

    private func serve(_ method: Method, _ call: Channel.Call) throws -> [UInt8] {
        switch method {
        case .describe: try serve(call) { (_: Assay_Plugin_V1_DescribeRequest, _) in describe() }
        case .validate: try serve(call) { (request, _) in validate(request) }
        case .configure: try serve(call) { (request, _) in try configure(request) }
        case .locate: try serve(call) { (request, _) in try locate(request) }
        case .appraise: try serve(call, nested: [8]) { (request, deadline) in try appraise(request, deadline) }
        case .prepare: try serve(call) { (request, deadline) in try prepare(request, deadline) }
        case .observe: try serve(call, nested: [1]) { (request, deadline) in try observe(request, deadline) }
        case .health: try serve(call) { (_: Assay_Plugin_V1_HealthRequest, _) in health() }
        }
    }

    private func serve<Request: Message, Response: Message>(
        _ call: Channel.Call, nested: Set<UInt64> = [], _ body: (Request, Int64?) throws -> Response
    ) throws -> [UInt8] {
        switch MessageReader.read(Request.self, call.content.message, nested: nested) {
        case .message(let request): return try body(request, call.deadline).serializedBytes()
        case .tooLarge:
            throw Self.fault(
                .resourceExhausted, "too_much_memory", "a message has at most \(MessageReader.fieldLimit) fields here")
        case .undecodable:
            throw Self.fault(.invalidArgument, "undecodable_message", "the message is no request of \(call.content.method)")
        }
    }

    // MARK: What methods share

    enum Method: String {
        case describe = "Describe"
        case validate = "Validate"
        case configure = "Configure"
        case locate = "Locate"
        case appraise = "Appraise"
        case prepare = "Prepare"
        case observe = "Observe"
        case health = "Health"
    }

    private static var path: String { "/assay.plugin.v1.Plugin/" }

    static func fault(_ code: Status.Code, _ reason: String, _ sentence: String) -> Fault {
        Fault(status: Status(code, reason, sentence))
    }

    func requireConfigured(_ method: String) throws {
        guard plugin == nil else { return }
        throw Self.fault(.failedPrecondition, "not_configured", "\(method) comes before Configure")
    }

    /// Runs an author's method with a host. A host that could not answer decides the call, also where the author caught the error.
    func withHost<T>(_ token: some Collection<UInt8>, _ deadline: Int64?, _ body: (Host) throws -> T) throws -> T {
        let host = Host(channel, token: Array(token), deadline: deadline)
        let result = Result { try body(host) }
        broken = host.broken
        if let failure = host.failure { throw Fault(status: failure) }
        return try result.get()
    }
}
