import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import Glibc
import SwiftProtobuf
import Synchronization

/// One process of an examined plugin, spoken to frame by frame, so that frames can be wrong. Used by one task.
final class RawPlugin {
    let process: PluginProcess
    private let host: HostCalls
    private var received: [UInt8] = []
    private var lastID: UInt64 = 0
    private var waiting: Set<UInt64> = []
    private var replies: [UInt64: RawReply] = [:]
    private(set) var pongs = 0
    private var hasEnded = false
    private var isHalfClosed = false
    /// Changed frames may have become calls with other ids.
    var toleratesAnyReply = false
    /// Answers to the plugin's own calls.
    private let outgoing = Answers()

    /// What the host answered, from any thread.
    private final class Answers: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
        func take() -> [UInt8] {
            bytes.withLock { bytes in
                defer { bytes = [] }
                return bytes
            }
        }
    }

    /// How long an answer may take that needs no work, and an end.
    let patience: Duration

    init(
        _ plugin: ExaminedPlugin, host: any PluginHost = ExaminationHost(), environment: [String]? = nil
    ) async throws(CheckFailure) {
        patience = plugin.patience
        var launch = plugin.launch
        if let environment { launch.environment = environment }
        do throws(LaunchFailure) {
            process = try await PluginProcess.start(launch, within: max(.seconds(10), plugin.patience)) { line in
                host.log(.info, line, [])
            }
        } catch { throw CheckFailure("expected: the process starts; found: \(error.description)") }
        self.host = HostCalls(host, plugin: plugin.entry.name)
        self.host.allow(Set(HostService.allCases))
    }

    deinit { Glibc.close(process.socket) }

    // MARK: Frames

    /// Writes bytes as they are. A plugin that has ended reads nothing: that is no error here.
    func send(_ bytes: [UInt8]) async throws(CheckFailure) {
        let deadline = ContinuousClock.now + patience
        var rest = bytes[...]
        while !rest.isEmpty, !isHalfClosed {
            let count = rest.withUnsafeBytes { Glibc.send(process.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try receive()
                guard ContinuousClock.now < deadline else {
                    throw CheckFailure(
                        "expected: it reads what it is sent; found: \(rest.count) bytes unread after \(patience)")
                }
                await pause()
            } else if errno != EINTR {
                return
            }
        }
    }

    /// Reads what is there.
    private func receive() throws(CheckFailure) {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while !hasEnded {
            let count = Glibc.recv(process.socket, &chunk, chunk.count, 0)
            if count > 0 {
                received += chunk.prefix(count)
            } else if count < 0, errno == EAGAIN || errno == EINTR {
                break
            } else {
                hasEnded = true
            }
        }
        var start = 0
        while received.count - start >= 4 {
            let length = received[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard (1...RawFrame.sizeLimit).contains(length) else {
                throw CheckFailure("expected: frames of 1 to \(RawFrame.sizeLimit) bytes; found: it sent one of \(length)")
            }
            guard received.count - start >= 4 + length else { break }
            let payload = Array(received[start + 4..<start + 4 + length])
            start += 4 + length
            try take(RawFrame.read(payload))
        }
        received.removeFirst(start)
    }

    private func take(_ frame: RawFrame.Received) throws(CheckFailure) {
        switch frame {
        case .reply(let id, let reply):
            guard waiting.remove(id) != nil || toleratesAnyReply else {
                throw CheckFailure("expected: replies to calls in flight; found: a reply to the call \(id), which is not")
            }
            replies[id] = reply
        case .call(let id, let method, let message):
            let outgoing = outgoing
            host.handle(method, message) { result in
                switch result {
                case .success(let answer): outgoing.add(RawFrame.reply(id, answer))
                case .failure(let error):
                    outgoing.add(RawFrame.reply(id, code: error.code.rawValue, reason: error.reason, error.message))
                }
            }
        case .pong: pongs += 1
        case .ping, .other: break
        }
    }

    private func pause() async { try? await Task.sleep(for: .milliseconds(1)) }

    /// Moves frames until the condition holds. False: it does not within the limit, or the plugin has ended its connection.
    private func wait(within limit: Duration, for condition: () -> Bool) async throws(CheckFailure) -> Bool {
        let deadline = ContinuousClock.now + limit
        while true {
            try receive()
            if condition() { return true }
            if hasEnded || ContinuousClock.now >= deadline { return false }
            let answers = outgoing.take()
            if !answers.isEmpty { try await send(answers) }
            await pause()
        }
    }

    // MARK: Calls

    /// Begins a call, and returns its id.
    func begin(
        path: String, _ message: [UInt8]
    ) async throws(CheckFailure) -> UInt64 {
        lastID += 1
        waiting.insert(lastID)
        let id = lastID
        try await send(RawFrame.call(id, path, message, timeoutMilliseconds: Int64(patience / .milliseconds(1))))
        return id
    }

    func begin(_ method: PluginConnection.Method, _ message: some SwiftProtobuf.Message) async throws(CheckFailure) -> UInt64 {
        try await begin(path: method.path, (try? message.serializedBytes()) ?? [])
    }

    /// Begins an appraisal whose calls to the host are answered.
    func begin(_ request: PluginRequest) async throws(CheckFailure) -> UInt64 {
        try await begin(.appraise, message(request))
    }

    func message(_ request: PluginRequest) -> Assay_Plugin_V1_AppraiseRequest {
        let call = PluginCall(app: request.app, format: request.format)
        host.begin(call)
        return Assay_Plugin_V1_AppraiseRequest(request, call)
    }

    /// Frames of appraisals, to be sent at once.
    func frames(_ requests: [PluginRequest], timeout: Duration? = nil) -> (ids: [UInt64], bytes: [UInt8]) {
        let timeout = timeout ?? patience
        var (ids, bytes): ([UInt64], [UInt8]) = ([], [])
        for request in requests {
            lastID += 1
            waiting.insert(lastID)
            ids.append(lastID)
            let message: [UInt8] = (try? message(request).serializedBytes()) ?? []
            bytes += RawFrame.call(
                lastID, PluginConnection.Method.appraise.path, message, timeoutMilliseconds: Int64(timeout / .milliseconds(1)))
        }
        return (ids, bytes)
    }

    func reply(
        to id: UInt64, _ what: String, within limit: Duration? = nil
    ) async throws(CheckFailure) -> RawReply {
        let limit = limit ?? patience
        _ = try await wait(within: limit) { replies[id] != nil }
        guard let reply = replies.removeValue(forKey: id) else {
            throw CheckFailure(
                "expected: an answer to \(what) within \(limit); found: \(await ending(within: .milliseconds(500)))")
        }
        return reply
    }

    func call(path: String, _ message: [UInt8] = [], _ what: String? = nil) async throws(CheckFailure) -> RawReply {
        try await reply(to: try await begin(path: path, message), what ?? "a call of \(path.prefix(60))")
    }

    func call<Request: SwiftProtobuf.Message>(
        _ method: PluginConnection.Method, _ request: Request, _ what: String? = nil
    ) async throws(CheckFailure) -> RawReply {
        try await reply(to: try await begin(method, request), what ?? method.rawValue)
    }

    func describe(
        offering versions: [UInt32] = PluginDescription.protocolVersions
    ) async throws(CheckFailure) -> Assay_Plugin_V1_DescribeResponse {
        let reply = try await call(
            .describe,
            Assay_Plugin_V1_DescribeRequest.with { ($0.protocolVersions, $0.daemonVersion) = (versions, "examination") })
        guard reply.isOK, let answer = try? Assay_Plugin_V1_DescribeResponse(serializedBytes: reply.message) else {
            throw CheckFailure("expected: an answer to Describe; found: \(reply.words)")
        }
        return answer
    }

    func configure(
        _ configuration: [UInt8], apps: [AppID], version: UInt32 = 1
    ) async throws(CheckFailure) -> RawReply {
        try await call(
            .configure,
            Assay_Plugin_V1_ConfigureRequest.with {
                ($0.protocolVersion, $0.configuration) = (version, Data(configuration))
                $0.apps = apps.map { Data($0.text.utf8) }
            })
    }

    /// Throws unless the plugin answers a ping.
    func ping(after what: String, within limit: Duration? = nil) async throws(CheckFailure) {
        guard try await pongs(after: what, within: limit) else {
            throw CheckFailure("expected: it goes on after \(what); found: \(await ending(within: .milliseconds(500)))")
        }
    }

    /// Whether the plugin answers a ping; false if it has ended its connection.
    func pongs(after what: String, within limit: Duration? = nil) async throws(CheckFailure) -> Bool {
        let limit = limit ?? patience
        let before = pongs
        try await send(RawFrame.ping)
        if try await wait(within: limit, for: { pongs > before }) { return true }
        guard hasEnded || process.endIfEnded != nil else {
            throw CheckFailure("expected: an answer or an end after \(what); found: neither within \(limit)")
        }
        return false
    }

    // MARK: The end

    /// Ends the daemon's side of the connection.
    func halfClose() {
        isHalfClosed = true
        shutdown(process.socket, Int32(SHUT_WR))
    }

    /// Ends both sides of the connection, as if the daemon had died.
    func abandon() {
        (isHalfClosed, hasEnded) = (true, true)
        shutdown(process.socket, Int32(SHUT_RDWR))
    }

    /// How the process ends, reading what it still sends; `nil` if it does not within the limit.
    func end(within limit: Duration? = nil) async throws(CheckFailure) -> ProcessEnd? {
        let deadline = ContinuousClock.now + (limit ?? patience)
        while process.endIfEnded == nil, ContinuousClock.now < deadline {
            try receive()
            await pause()
        }
        try receive()
        return process.endIfEnded
    }

    /// How many of these calls were answered, and the answers.
    func answers(to ids: [UInt64]) -> [RawReply] { ids.compactMap { replies[$0] } }

    /// What has become of the process, for a sentence.
    func ending(within limit: Duration = .seconds(1)) async -> String {
        guard let end = try? await end(within: limit) else { return "no answer, and the process runs" }
        return "the process \(end)" + (process.lastLines.last.map { "; its last line: \($0)" } ?? "")
    }
}
