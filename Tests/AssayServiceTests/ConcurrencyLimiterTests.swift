import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Synchronization
import Testing

@testable import AssayService

@Suite("Concurrency limiter")
struct ConcurrencyLimiterTests {
    private static func call(_ peer: RPCPeer = ServiceHarness.loopback, timeout: Duration? = nil) -> RPCCall {
        RPCCall(method: "/test", message: [], peer: peer, timeout: timeout) { _ in }
    }

    /// How many calls are worked on, and how many have been.
    private final class Tally: Sendable {
        private let state = Mutex((inside: 0, most: 0, done: 0))
        var most: Int { state.withLock { $0.most } }
        var done: Int { state.withLock { $0.done } }

        func enter() {
            state.withLock { state in
                state.inside += 1
                state.most = max(state.most, state.inside)
            }
        }

        func leave() {
            state.withLock { state in
                state.inside -= 1
                state.done += 1
            }
        }
    }

    @Test("no more calls are worked on at a time than there are places, and all in the end", arguments: [1, 3])
    func places(_ places: Int) async throws {
        let (limiter, tally) = (ConcurrencyLimiter(places: places), Tally())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await limiter.pass(Self.call()) { () async throws(RPCError) in
                        tally.enter()
                        await Task.yield()
                        tally.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(tally.done == 200 && tally.most <= places)
    }

    @Test("callers take turns, so that one with many calls does not keep the others waiting")
    func turns() async throws {
        let (limiter, order, gate) = (ConcurrencyLimiter(places: 1), Order(), Gate())
        let flood = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        let honest = RPCPeer.unix(userID: 2, groupID: 1, processID: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await limiter.pass(Self.call(flood)) { () async throws(RPCError) in await gate.wait() }
            }
            await gate.reached()
            for (peer, count) in [(flood, 20), (honest, 1)] {
                for _ in 0..<count {
                    let before = limiter.waiting
                    group.addTask {
                        try await limiter.pass(Self.call(peer)) { () async throws(RPCError) in order.enter(peer) }
                    }
                    try await eventually("it waits") { limiter.waiting > before }
                }
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(order.entered.count == 21)
        #expect(order.entered.prefix(2).contains(honest))
    }

    @Test("a call whose deadline passes while it waits fails with deadline_exceeded")
    func deadline() async throws {
        await #expect(throws: RPCError.deadlineExceeded) {
            try await ConcurrencyLimiter(places: 1).pass(Self.call(timeout: .zero)) { () async throws(RPCError) in }
        }
    }

    /// A method that takes turns, and a call of it that is denied.
    struct Denied: Sendable, CustomTestStringConvertible {
        let method: MethodDeclaration
        let app: String
        let peer: UInt32
        var testDescription: String { "\(method.path) of \(app) as \(peer)" }
    }

    static let denied = [
        API.listDevices.declaration, API.listBlocks.declaration, API.forgetDevice.declaration, API.importDevices.declaration,
        API.readAudit.declaration,
    ].flatMap { [Denied(method: $0, app: "camera", peer: 1), Denied(method: $0, app: "notes", peer: 2)] }

    @Test("a denied call does not wait for its turn", .timeLimit(.minutes(30)), arguments: denied)
    func authorisedFirst(_ denied: Denied) async throws {
        let all = Set(Role.allCases)
        let harness = try await ServiceHarness(
            callers: CallerDirectory(byUserID: [
                1: Caller(name: "nothing", roles: [], apps: nil),
                2: Caller(name: "camera only", roles: all, apps: [.camera]),
            ]))
        let gate = Gate()
        async let held: Void = harness.limiter.pass(Self.call()) { () async throws(RPCError) in await gate.wait() }
        await gate.reached()
        let message = try AuthorisationTests.sample(denied.method.path, app: denied.app)
        // It would wait without end: the only place is taken.
        let answer = try await harness.ask(
            denied.method.path, message, peer: .unix(userID: denied.peer, groupID: 1, processID: 1))
        guard case .failure(.denied)? = answer else {
            Issue.record("it was permitted")
            return gate.open()
        }
        gate.open()
        try await held
    }

    /// Whose calls have been worked on.
    private final class Order: Sendable {
        private let state = Mutex([RPCPeer]())
        var entered: [RPCPeer] { state.withLock { $0 } }
        func enter(_ peer: RPCPeer) { state.withLock { $0.append(peer) } }
    }

    /// Where one task waits until another lets it go on.
    private final class Gate: Sendable {
        private struct State {
            var isOpen = false
            var isReached = false
            var waiting: CheckedContinuation<Void, Never>?
        }
        private let state = Mutex(State())

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    state.isReached = true
                    if !state.isOpen { state.waiting = continuation }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func reached() async { while !state.withLock({ $0.isReached }) { await Task.yield() } }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
    }

    @Test("a call whose work fails leaves its place to the next")
    func failure() async throws {
        let limiter = ConcurrencyLimiter(places: 1)
        await #expect(throws: RPCError.self) {
            try await limiter.pass(Self.call()) { () async throws(RPCError) in throw .denied }
        }
        let number = try await limiter.pass(Self.call()) { () async throws(RPCError) in 7 }
        #expect(number == 7)
    }
}
