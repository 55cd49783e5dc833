import AssayTesting
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayRPC

/// Calls of fronts without frames and sockets: what a front for another protocol does.
@Suite("Call dispatcher", .timeLimit(.minutes(30)))
struct CallDispatcherTests {
    private typealias Text = Google_Protobuf_StringValue

    /// The connection of a front that keeps the answers.
    private final class FakeConnection: CallDestination {
        private struct State {
            var answers: [UInt64: Result<[UInt8], RPCError>] = [:]
            var items: [UInt64: [[UInt8]]] = [:]
            var flushes = 0
            var refused: [UInt64: RPCError] = [:]
        }

        let session: RPCSession
        private let state = Mutex(State())

        init(_ service: RPCService, userID: UInt32 = 1) {
            session = RPCSession(.unix(userID: userID, groupID: 1, processID: 1), in: service)
        }

        var answers: [UInt64: Result<[UInt8], RPCError>] { state.withLock { $0.answers } }
        var items: [UInt64: [[UInt8]]] { state.withLock { $0.items } }
        var flushes: Int { state.withLock { $0.flushes } }
        var refused: [UInt64: RPCError] { state.withLock { $0.refused } }

        func answer(_ answers: [RPCCall.Answer]) {
            state.withLock { state in
                for (call, answer) in answers { state.answers[call.id] = answer }
            }
        }

        func refuse(_ call: RPCCall, _ error: RPCError) { state.withLock { $0.refused[call.id] = error } }

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

    private func service(
        _ limits: CallLimits = CallLimits(), access: RPCAccess = .open, lateness: @escaping @Sendable () -> RPCError? = { nil }
    ) -> RPCService {
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
        return RPCService(
            methods: methods, access: access, state: ServingState(limits, processors: 2, logger: logger), lateness: lateness)
    }

    private func admit(
        _ dispatcher: CallDispatcher, _ id: UInt64, to path: String, of session: RPCSession, metadata: RPCMetadata = [:],
        message: [UInt8] = Array("hello".utf8), received: ContinuousClock.Instant = .now, timeout: Duration? = nil
    ) throws {
        guard case .known(let method) = find(dispatcher, Array(path.utf8)) else { throw RPCError.unknownMethod(path) }
        try message.withUnsafeBytes { message in
            try dispatcher.admit(
                id, to: method, message: message, metadata: metadata, received: received, timeout: timeout, of: session)
        }
    }

    private func find(_ dispatcher: CallDispatcher, _ path: [UInt8]) -> CallDispatcher.Finding {
        path.withUnsafeBytes { dispatcher.find($0) }
    }

    private func text(_ answer: Result<[UInt8], RPCError>?) throws -> String? {
        try answer.map { try Text(serializedBytes: try $0.get()).value }
    }

    @Test("a front without frames gets its calls answered, batched, and gives back what they held")
    func batch() async throws {
        let service = service()
        let connection = FakeConnection(service)
        let dispatcher = CallDispatcher(service, to: connection)
        for id: UInt64 in 1...3 {
            try admit(dispatcher, id, to: "/t/batch", of: connection.session, metadata: ["name": "call \(id)"])
        }
        #expect(service.state.statistics.callsInFlight == 3 && notes.all.isEmpty, "nothing starts before dispatch")
        dispatcher.dispatch()
        try await eventually("the dispatcher has done it") { connection.flushes == 1 }
        #expect(notes.all == ["batch of 3"])
        #expect(try (1...3).map { try text(connection.answers[UInt64($0)]) } == ["call 1", "call 2", "call 3"])
        let statistics = service.state.statistics
        #expect(statistics.callsInFlight == 0 && statistics.heldBytes == 0 && statistics.callsStarted == 3)
    }

    /// A connection's thread, as tasks see it.
    private final class CountingExecutor: TaskExecutor {
        private let jobs = Atomic(0)
        var count: Int { jobs.load(ordering: .relaxed) }

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.add(1, ordering: .relaxed)
            globalConcurrentExecutor.enqueue(job)
        }
    }

    @Test("a short call of a batch that is alone in the daemon runs on its connection's executor, and no other call does")
    func alone() async throws {
        let service = service()
        let (connection, executor) = (FakeConnection(service), CountingExecutor())
        let dispatcher = CallDispatcher(service, to: connection, executor: executor)
        let start = ContinuousClock.now
        func answer(_ ids: ClosedRange<UInt64>, message: [UInt8] = [], after time: Duration) async throws {
            for id in ids {
                try admit(
                    dispatcher, id, to: "/t/batch", of: connection.session, message: message, received: start.advanced(by: time)
                )
            }
            dispatcher.dispatch()
            try await eventually("the calls are answered") {
                ids.allSatisfy { connection.answers[$0] != nil } && service.state.statistics.callsInFlight == 0
            }
        }
        try await answer(1...1, after: .zero)
        let count = executor.count
        #expect(count > 0)
        try await answer(2...3, after: .seconds(1))
        try await answer(4...4, message: [UInt8](repeating: 0, count: 4096), after: .seconds(2))
        try admit(dispatcher, 5, to: "/t/sleep", of: connection.session, received: start.advanced(by: .seconds(3)))
        dispatcher.dispatch()
        try admit(dispatcher, 6, to: "/t/batch", of: connection.session, received: start.advanced(by: .seconds(3)))
        dispatcher.dispatch()
        try await eventually("the call beside another one is answered") { connection.answers[6] != nil }
        #expect(executor.count == count)
        dispatcher.end()
    }

    @Test("a call that follows several in milliseconds is one of a load, and does not run on its connection's executor")
    func load() async throws {
        let service = service()
        let (connection, executor) = (FakeConnection(service), CountingExecutor())
        let dispatcher = CallDispatcher(service, to: connection, executor: executor)
        let start = ContinuousClock.now
        func answer(_ ids: ClosedRange<UInt64>, after milliseconds: Int) async throws {
            for id in ids {
                try admit(
                    dispatcher, id, to: "/t/batch", of: connection.session,
                    received: start.advanced(by: .milliseconds(milliseconds)))
            }
            dispatcher.dispatch()
            try await eventually("the calls are answered") {
                ids.allSatisfy { connection.answers[$0] != nil } && service.state.statistics.callsInFlight == 0
            }
        }
        try await answer(1...2, after: 0)
        try await answer(3...3, after: 10)
        try await answer(4...4, after: 49)
        #expect(executor.count == 0)
        try await answer(5...5, after: 51)
        let count = executor.count
        #expect(count > 0, "the load is over")
        try await answer(6...6, after: 52)
        #expect(executor.count > count, "one caller's calls, one after the other")
        dispatcher.end()
    }

    @Test("calls of another method start the calls before them, and a stream sends its items and an end")
    func stream() async throws {
        let service = service()
        let connection = FakeConnection(service)
        let dispatcher = CallDispatcher(service, to: connection)
        try admit(dispatcher, 1, to: "/t/batch", of: connection.session)
        try admit(dispatcher, 2, to: "/t/stream", of: connection.session)
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
        let dispatchers = connections.enumerated().map { number, connection in
            CallDispatcher(service, to: connection, maxInFlight: number == 2 ? 1 : .max)
        }
        func begin(_ id: UInt64, _ number: Int) throws {
            try admit(dispatchers[number], id, to: "/t/batch", of: connections[number].session)
        }
        try begin(1, 0)
        try begin(1, 1)
        #expect(throws: RPCError.tooManyCallsOfTheCaller) { try begin(2, 1) }
        try begin(1, 2)
        #expect(throws: RPCError.tooManyCalls) { try begin(2, 2) }
        #expect(service.state.statistics.callsInFlight == 3)
        for index in dispatchers.indices { dispatchers[index].dispatch() }
        try await eventually("the dispatcher has done it") { service.state.statistics.callsInFlight == 0 }
        for number in 1...2 { try begin(3, number) }
        for index in dispatchers.indices { dispatchers[index].end() }
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
        let connection = FakeConnection(service)
        // A connection that is full: what may not be called is refused for that.
        let dispatcher = CallDispatcher(service, to: connection, maxInFlight: 3)
        for id: UInt64 in 1...2 { try admit(dispatcher, id, to: "/t/batch", of: connection.session) }
        for id: UInt64 in 3...4 {
            #expect(throws: RPCError(.permissionDenied, "no")) {
                try admit(dispatcher, id, to: "/t/sleep", of: connection.session)
            }
        }
        version.withLock { $0 += 1 }
        try admit(dispatcher, 5, to: "/t/batch", of: connection.session)
        #expect(asked.withLock { $0 } == ["/t/batch", "/t/sleep", "/t/sleep", "/t/batch"])
        #expect(service.state.statistics.callsInFlight == 3)
        dispatcher.end()
    }

    @Test("a path is found by its bytes; other paths are unknown, and bytes that are not UTF-8 are no path")
    func paths() {
        let service = service()
        let dispatcher = CallDispatcher(service, to: FakeConnection(service))
        func finding(_ path: [UInt8]) -> String { "\(find(dispatcher, path))" }
        #expect((0..<2).map { _ in finding(Array("/t/batch".utf8)) } == ["known(0)", "known(0)"])
        #expect(finding(Array("/t/other".utf8)) == #"unknown("/t/other")"#)
        #expect(finding([]) == #"unknown("")"#)
        #expect(finding([0x2f, 0xff]) == "notText")
    }

    @Test(
        "an abandoned call cancels its handler's task, is refused once, and gives back what it held when the handler has ended")
    func abandonment() async throws {
        let service = service()
        let connection = FakeConnection(service)
        let dispatcher = CallDispatcher(service, to: connection)
        try admit(dispatcher, 1, to: "/t/sleep", of: connection.session)
        dispatcher.dispatch()
        #expect(dispatcher.isInFlight(1) && !dispatcher.isIdle)
        for _ in 0..<2 { dispatcher.cancel(1) }
        #expect(connection.refused == [1: .cancelled] && dispatcher.isIdle)
        try await eventually("it is given back") { service.state.statistics.callsInFlight == 0 }
        // Ended before its handler is started: the handler does not begin.
        try admit(dispatcher, 2, to: "/t/sleep", of: connection.session)
        dispatcher.end()
        try await eventually("it is given back") { service.state.statistics.callsInFlight == 0 }
        #expect(connection.answers.isEmpty && connection.refused.count == 1 && notes.all.filter { $0 == "awake" }.isEmpty)
        let statistics = service.state.statistics
        #expect(statistics.heldBytes == 0 && statistics.callsStarted == 1)
    }

    @Test("an id may be used again once its call is cancelled, also before anything is sent")
    func sameID() async throws {
        let service = service()
        let connection = FakeConnection(service)
        let dispatcher = CallDispatcher(service, to: connection)
        try admit(dispatcher, 1, to: "/t/batch", of: connection.session, metadata: ["name": "first"])
        dispatcher.cancel(1)
        #expect(connection.refused == [1: .cancelled])
        try admit(dispatcher, 1, to: "/t/batch", of: connection.session, metadata: ["name": "second"])
        dispatcher.dispatch()
        try await eventually("it is answered") { connection.answers[1] != nil }
        #expect(try text(connection.answers[1]) == "second" && dispatcher.isInFlight(1))
        dispatcher.answered([1])
        #expect(dispatcher.isIdle)
        try await eventually("all is given back") { service.state.statistics.callsInFlight == 0 }
    }

    @Test("calls of two callers over one connection are counted apart, and are worked on apart in one burst")
    func sessions() async throws {
        var limits = CallLimits()
        limits.maxInFlightPerCaller = 2
        let service = service(limits)
        let connection = FakeConnection(service)
        let other = RPCSession(.unix(userID: 2, groupID: 1, processID: 1), in: service)
        let dispatcher = CallDispatcher(service, to: connection, maxInFlight: 4)
        for id: UInt64 in 1...4 {
            let session = id % 2 == 0 ? other : connection.session
            try admit(dispatcher, id, to: "/t/batch", of: session, metadata: ["name": "\(id)"])
        }
        #expect(throws: RPCError.tooManyCalls) { try admit(dispatcher, 5, to: "/t/batch", of: other) }
        dispatcher.dispatch()
        try await eventually("all are answered") { connection.answers.count == 4 }
        #expect(notes.all == ["batch of 2", "batch of 2"])
        #expect(try (1...4).map { try text(connection.answers[UInt64($0)]) } == ["1", "2", "3", "4"])
        try await eventually("all is given back") { service.state.statistics.callsInFlight == 0 }
        try admit(dispatcher, 6, to: "/t/batch", of: other)
        dispatcher.end()
    }

    @Test("a call is looked at a tenth before its deadline, at most 100 ms before, and then at the deadline")
    func deadlines() throws {
        let isLate = Mutex(false)
        let service = service(lateness: { isLate.withLock { $0 } ? RPCError(.unavailable, "late", reason: "late") : nil })
        let connection = FakeConnection(service)
        let dispatcher = CallDispatcher(service, to: connection)
        let begin = ContinuousClock.now
        #expect(dispatcher.nextLook == nil)
        try admit(dispatcher, 1, to: "/t/sleep", of: connection.session)
        #expect(dispatcher.nextLook == nil, "it has no deadline")
        try admit(dispatcher, 2, to: "/t/sleep", of: connection.session, received: begin, timeout: .seconds(10))
        #expect(dispatcher.nextLook == begin + .milliseconds(9900))
        try admit(dispatcher, 3, to: "/t/sleep", of: connection.session, received: begin, timeout: .milliseconds(500))
        #expect(dispatcher.nextLook == begin + .milliseconds(450))
        dispatcher.look(at: begin + .milliseconds(449))
        #expect(connection.refused.isEmpty && dispatcher.nextLook == begin + .milliseconds(450))
        dispatcher.look(at: begin + .milliseconds(450))
        #expect(connection.refused.isEmpty && dispatcher.nextLook == begin + .milliseconds(500), "nothing is late")
        dispatcher.look(at: begin + .milliseconds(500))
        #expect(connection.refused == [3: .deadlineExceeded] && dispatcher.nextLook == begin + .milliseconds(9900))
        isLate.withLock { $0 = true }
        dispatcher.look(at: begin + .milliseconds(9900))
        #expect(connection.refused[2]?.reason == "late" && dispatcher.nextLook == nil)
        dispatcher.drain()
        #expect(connection.refused[1] == .drained && dispatcher.isIdle)
        dispatcher.end()
    }
}
