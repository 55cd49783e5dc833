import AssayTesting
import Foundation
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

/// A server with a few simple methods, on a port or path of its own.
struct TestServer {
    let server: RPCServer
    let address: RPCAddress
    let held: HeldCalls

    var statistics: RPCStatistics { server.statistics }

    static let echo = "/test.Test/Echo"
    static let unaryEcho = "/test.Test/UnaryEcho"
    static let hold = "/test.Test/Hold"
    static let sleep = "/test.Test/Sleep"
    static let work = "/test.Test/Work"
    static let giveUp = "/test.Test/GiveUp"
    static let forget = "/test.Test/Forget"
    static let blob = "/test.Test/Blob"
    static let count = "/test.Test/Count"
    static let pour = "/test.Test/Pour"
    static let who = "/test.Test/Who"

    /// Runs a server around `body`, and stops it.
    static func run(
        _ limits: RPCLimits = .patient, at address: RPCAddress = .tcp(host: "127.0.0.1", port: 0),
        tls: ServerTLS? = nil, access: RPCAccess = .open, log: LogBook? = nil,
        lateness: @escaping @Sendable () -> RPCError? = { nil },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let held = HeldCalls()
        let logger = log?.logger ?? Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let front = FramedServer(
            addresses: [address], limits: limits.framed, connections: limits.connections, logger: logger, threads: 2, tls: tls)
        let state = ServingState(limits.calls, processors: FramedServer.processors, logger: logger)
        let service = RPCService(methods: methods(held), access: access, state: state, lateness: lateness)
        let server = RPCServer(service, fronts: [front])
        let bound = try #require(try await server.start().first)
        do {
            try await body(TestServer(server: server, address: bound, held: held))
            held.failAll()
            await server.stop()
        } catch {
            held.failAll()
            await server.stop()
            throw error
        }
    }

    private static func methods(_ held: HeldCalls) -> [RPCMethod] {
        [
            RPCMethod(
                path: echo,
                handler: .batch { calls in
                    // Answered together, which is how the hot path answers.
                    RPCCall.answer(
                        calls.map { call in
                            do throws(RPCError) {
                                _ = try call.decode(Text.self)
                                return (call, .success(call.message))
                            } catch {
                                return (call, .failure(error))
                            }
                        })
                }),
            RPCMethod(path: unaryEcho, handler: .unary { call throws(RPCError) in try call.decode(Text.self).serialised() }),
            // Answered when the test decides.
            RPCMethod(path: hold, handler: .batch { calls in await held.hold(calls) }),
            // Until it is cancelled.
            RPCMethod(
                path: sleep,
                handler: .unary { call throws(RPCError) in
                    held.note("asleep")
                    try? await Task.sleep(for: .seconds(60))
                    held.note(call.isAbandoned ? "abandoned" : "awake")
                    throw RPCError(.aborted, "awake")
                }),
            RPCMethod(path: forget, handler: .batch { _ in }),
            // Keeps a processor busy, unless the test lets it wait.
            RPCMethod(
                path: work,
                handler: .batch { calls in
                    while held.isWorkPaused { try? await Task.sleep(for: .milliseconds(1)) }
                    for call in calls {
                        let end = ContinuousClock.now.advanced(by: .microseconds(300))
                        while ContinuousClock.now < end {}
                        held.note(call.caller.description)
                        call.reply(Text("done"))
                    }
                }),
            // Works until the deadline has passed, and leaves the call unanswered, as the pipeline does.
            RPCMethod(
                path: giveUp,
                handler: .batch { calls in
                    for call in calls {
                        while !call.isAbandoned { try? await Task.sleep(for: .milliseconds(1)) }
                    }
                }),
            // As many bytes as asked for.
            RPCMethod(
                path: blob,
                handler: .batch { calls in
                    for call in calls {
                        let size = (try? call.decode(Number.self))?.value ?? 0
                        call.reply(Blob(Data(repeating: 0x5a, count: Int(size))))
                    }
                }),
            // 1 to n.
            RPCMethod(
                path: count,
                handler: .stream { call, writer throws(RPCError) in
                    let last = try call.decode(Number.self).value
                    for number in 0..<last { try await writer.send(Number(number + 1)) }
                    if last == 13 { throw RPCError(.failedPrecondition, "unlucky", reason: "thirteen") }
                }),
            // The names of the caller.
            RPCMethod(
                path: who,
                handler: .unary { call throws(RPCError) in
                    guard case .tls(_, _, let names) = call.peer else { throw RPCError(.unauthenticated, "no TLS") }
                    return try Text(names.description).serialised()
                }),
            // Items of 1 KiB without end.
            RPCMethod(
                path: pour,
                handler: .stream { call, writer throws(RPCError) in
                    let item = Blob(Data(repeating: 0xa5, count: 1024))
                    do throws(RPCError) {
                        while true {
                            try await writer.send(item)
                            held.pour()
                        }
                    } catch {
                        held.note("\(error.code)")
                        throw error
                    }
                }),
        ]
    }
}

/// What handlers note for the test, and the calls that wait until the test answers them.
final class HeldCalls: Sendable {
    private struct State {
        var calls: [(call: RPCCall, done: CheckedContinuation<Void, Never>?)] = []
        var notes: [String] = []
        var poured = 0
        var isWorkPaused = false
        var isOver = false
    }

    private let state = Mutex(State())

    var calls: [RPCCall] { state.withLock { $0.calls.map(\.call) } }
    var notes: [String] { state.withLock { $0.notes } }
    var poured: Int { state.withLock { $0.poured } }

    func note(_ note: String) { state.withLock { $0.notes.append(note) } }
    func pour() { state.withLock { $0.poured += 1 } }

    var isWorkPaused: Bool { state.withLock { $0.isWorkPaused && !$0.isOver } }
    func pauseWork() { state.withLock { $0.isWorkPaused = true } }
    func resumeWork() { state.withLock { $0.isWorkPaused = false } }

    /// Keeps the calls and suspends the handler until they are answered.
    func hold(_ calls: [RPCCall]) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                for call in calls.dropLast() { state.calls.append((call, nil)) }
                if let last = calls.last { state.calls.append((last, continuation)) }
                return state.isOver
            }
            if isOver { failAll() }
        }
    }

    /// Answers every call that is held now.
    func answerAll(_ text: String = "held") {
        for (call, done) in take() {
            call.reply(Text(text))
            done?.resume()
        }
    }

    func failAll() {
        state.withLock { $0.isOver = true }
        for (call, done) in take() {
            call.fail(RPCError(.aborted, "the test is over"))
            done?.resume()
        }
    }

    private func take() -> [(call: RPCCall, done: CheckedContinuation<Void, Never>?)] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }
}

/// A path for a socket that no other test uses.
func socketPath() -> String { NSTemporaryDirectory() + "assay-rpc-\(UInt64.random(in: 0..<(.max))).sock" }
