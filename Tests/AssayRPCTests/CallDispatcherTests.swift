import AssayTesting
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayRPC

/// Calls of fronts without frames and sockets: what a front for another protocol does.
@Suite("Call dispatcher", .timeLimit(.minutes(5)))
struct CallDispatcherTests {
    private typealias Text = Google_Protobuf_StringValue

    /// The connection of a front that keeps the answers.
    private final class FakeConnection: CallDestination {
        private struct State {
            var answers: [UInt64: Result<[UInt8], RPCError>] = [:]
            var items: [UInt64: [[UInt8]]] = [:]
            var flushes = 0
            var released: [UInt64] = []
        }

        let peer: RPCPeer
        let usage: CallerUsage
        private let shared: ServingState
        private let state = Mutex(State())

        init(_ service: RPCService, userID: UInt32 = 1) {
            peer = .unix(userID: userID, groupID: 1, processID: 1)
            shared = service.state
            usage = shared.callers.usage(of: PeerIdentity(peer, service.access))
        }

        var answers: [UInt64: Result<[UInt8], RPCError>] { state.withLock { $0.answers } }
        var items: [UInt64: [[UInt8]]] { state.withLock { $0.items } }
        var flushes: Int { state.withLock { $0.flushes } }
        var released: [UInt64] { state.withLock { $0.released } }

        func answer(_ answers: [RPCCall.Answer]) {
            for (call, answer) in answers {
                state.withLock { $0.answers[call.id] = answer }
                shared.admission.release(call.share, of: usage)
            }
        }

        func release(_ call: RPCCall) {
            state.withLock { $0.released.append(call.id) }
            shared.admission.release(call.share, of: usage)
        }

        func flush() { state.withLock { $0.flushes += 1 } }

        func writer(for call: RPCCall) -> RPCStreamWriter {
            RPCStreamWriter { message throws(RPCError) in self.state.withLock { $0.items[call.id, default: []].append(message) }
            }
        }
    }

    /// What handlers did.
    private final class Notes: Sendable {
        private let state = Mutex<[String]>([])
        var all: [String] { state.withLock { $0 } }
        func note(_ note: String) { state.withLock { $0.append(note) } }
    }

    private let notes = Notes()

    private func service(_ limits: CallLimits = CallLimits(), access: RPCAccess = .open) -> RPCService {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let methods = [
            RPCMethod(
                path: "/t/batch",
                handler: .batch { [notes] calls in
                    notes.note("batch of \(calls.count)")
                    for call in calls { call.reply(Text(call.metadata["name"] ?? "")) }
                }),
            RPCMethod(
                path: "/t/sleep",
                handler: .unary { [notes] call throws(RPCError) in
                    try? await Task.sleep(for: .seconds(60))
                    notes.note(Task.isCancelled ? "cancelled" : "awake")
                    throw call.abandonment
                }),
            RPCMethod(
                path: "/t/stream",
                handler: .stream { _, writer throws(RPCError) in
                    for item in ["a", "b"] { try await writer.send(Text(item)) }
                }),
        ]
        return RPCService(methods: methods, access: access, state: ServingState(limits, processors: 2, logger: logger))
    }

    private func admit(
        _ dispatcher: inout CallDispatcher, _ id: UInt64, to path: String, metadata: RPCMetadata = [:], isFull: Bool = false
    ) throws -> RPCCall {
        guard case .known(let method) = find(&dispatcher, Array(path.utf8)) else { throw RPCError.unknownMethod(path) }
        return try [UInt8]("hello".utf8).withUnsafeBytes { message in
            try dispatcher.admit(
                id, to: method, message: message, metadata: metadata, received: .now, timeout: nil, connectionIsFull: isFull)
        }
    }

    private func find(_ dispatcher: inout CallDispatcher, _ path: [UInt8]) -> CallDispatcher.Finding {
        path.withUnsafeBytes { dispatcher.find($0) }
    }

    private func text(_ answer: Result<[UInt8], RPCError>?) throws -> String? {
        try answer.map { try Text(serializedBytes: try $0.get()).value }
    }

    @Test("a front without frames gets its calls answered, batched, and gives back what they held")
    func batch() async throws {
        let service = service()
        let connection = FakeConnection(service)
        var dispatcher = CallDispatcher(service, to: connection)
        for id: UInt64 in 1...3 { _ = try admit(&dispatcher, id, to: "/t/batch", metadata: ["name": "call \(id)"]) }
        #expect(service.state.statistics.callsInFlight == 3 && notes.all.isEmpty, "nothing starts before dispatch")
        dispatcher.dispatch()
        try await eventually("the dispatcher has done it") { connection.flushes == 1 }
        #expect(notes.all == ["batch of 3"])
        #expect(try (1...3).map { try text(connection.answers[UInt64($0)]) } == ["call 1", "call 2", "call 3"])
        let statistics = service.state.statistics
        #expect(statistics.callsInFlight == 0 && statistics.heldBytes == 0 && statistics.callsStarted == 3)
    }

    @Test("calls of another method start the calls before them, and a stream sends its items and an end")
    func stream() async throws {
        let service = service()
        let connection = FakeConnection(service)
        var dispatcher = CallDispatcher(service, to: connection)
        _ = try admit(&dispatcher, 1, to: "/t/batch")
        _ = try admit(&dispatcher, 2, to: "/t/stream")
        try await eventually("the dispatcher has done it") { connection.answers[1] != nil }
        dispatcher.dispatch()
        try await eventually("the dispatcher has done it") { connection.answers[2] != nil }
        #expect(try connection.items[2]?.map { try Text(serializedBytes: $0).value } == ["a", "b"])
        #expect(try connection.answers[2]?.get() == [])
    }

    @Test("one caller's calls are bounded over all fronts, and refused calls hold nothing")
    func bounds() async throws {
        var limits = CallLimits()
        limits.maxInFlightPerCaller = 2
        let service = service(limits)
        let connections = [FakeConnection(service), FakeConnection(service), FakeConnection(service, userID: 2)]
        var dispatchers = connections.map { CallDispatcher(service, to: $0) }
        _ = try admit(&dispatchers[0], 1, to: "/t/batch")
        _ = try admit(&dispatchers[1], 1, to: "/t/batch")
        #expect(throws: RPCError.tooManyCallsOfTheCaller) { try admit(&dispatchers[1], 2, to: "/t/batch") }
        _ = try admit(&dispatchers[2], 1, to: "/t/batch")
        #expect(throws: RPCError.tooManyCalls) { try admit(&dispatchers[2], 2, to: "/t/batch", isFull: true) }
        #expect(service.state.statistics.callsInFlight == 3)
        for index in dispatchers.indices { dispatchers[index].dispatch() }
        try await eventually("the dispatcher has done it") { service.state.statistics.callsInFlight == 0 }
        _ = try admit(&dispatchers[1], 3, to: "/t/batch")
    }

    @Test("a call without permission is refused before it is admitted, and a permission is asked for once in a version")
    func permission() throws {
        let asked = Mutex<[String]>([])
        let version = Mutex(0)
        let access = RPCAccess(
            caller: { _ in nil },
            refusal: { _, path in
                asked.withLock { $0.append(path) }
                return path == "/t/sleep" ? RPCError(.permissionDenied, "no") : nil
            }, version: { version.withLock { $0 } })
        let service = service(access: access)
        var dispatcher = CallDispatcher(service, to: FakeConnection(service))
        for id: UInt64 in 1...2 { _ = try admit(&dispatcher, id, to: "/t/batch") }
        for id: UInt64 in 3...4 {
            #expect(throws: RPCError(.permissionDenied, "no")) { try admit(&dispatcher, id, to: "/t/sleep", isFull: true) }
        }
        version.withLock { $0 += 1 }
        _ = try admit(&dispatcher, 5, to: "/t/batch")
        #expect(asked.withLock { $0 } == ["/t/batch", "/t/sleep", "/t/sleep", "/t/batch"])
        #expect(service.state.statistics.callsInFlight == 3)
        dispatcher.drop()
    }

    @Test("a path is found by its bytes; other paths are unknown, and bytes that are not UTF-8 are no path")
    func paths() {
        let service = service()
        var dispatcher = CallDispatcher(service, to: FakeConnection(service))
        func finding(_ path: [UInt8]) -> String { "\(find(&dispatcher, path))" }
        #expect((0..<2).map { _ in finding(Array("/t/batch".utf8)) } == ["known(0)", "known(0)"])
        #expect(finding(Array("/t/other".utf8)) == #"unknown("/t/other")"#)
        #expect(finding([]) == #"unknown("")"#)
        #expect(finding([0x2f, 0xff]) == "notText")
    }

    @Test("an abandoned call cancels its handler's task, is released once, and gives back what it held")
    func abandonment() async throws {
        let service = service()
        let connection = FakeConnection(service)
        var dispatcher = CallDispatcher(service, to: connection)
        let started = try admit(&dispatcher, 1, to: "/t/sleep")
        dispatcher.dispatch()
        #expect(started.abandon() && !started.abandon())
        started.cancelHandler()
        try await eventually("the dispatcher has done it") { connection.released == [1] }
        // Abandoned before its handler is started: the handler does not begin.
        let waiting = try admit(&dispatcher, 2, to: "/t/sleep")
        #expect(waiting.abandon())
        waiting.cancelHandler()
        dispatcher.drop()
        try await eventually("the dispatcher has done it") { connection.released == [1, 2] }
        #expect(connection.answers.isEmpty && service.state.statistics.callsInFlight == 0)
    }
}
