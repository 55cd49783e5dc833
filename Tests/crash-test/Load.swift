import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Synchronization

/// Simultaneous callers: phones register, upload, replay and forge, devices get certificates and sign with them, and operators block
/// and revoke.
final class Load: Sendable {
    /// The number of simultaneous callers, and of the connections they share; at least one for each daemon.
    static let loadClients = 8
    static let connections = 2
    /// The number of callers that certificates are for. They share a connection.
    static let certificateClients = 3
    /// The interval between status requests for the audit log's head.
    static let glance = Duration.milliseconds(40)

    let home: Home
    let expected: ExpectedState
    let findings: Findings
    let outage = Outage()
    /// How long a caller waits after a request without an answer.
    let pause: Duration
    /// How long a caller waits between its steps.
    let pace: Duration
    private let state: Mutex<State>

    private struct State {
        var isOver = false
        var accepted = 0
        /// By each daemon.
        var acceptedBy: [Int]
        var refused = 0
        var unanswered = 0
        /// Actions after a given number of acceptances.
        var mark: (count: Int, action: @Sendable () -> Void)?
    }

    init(
        home: Home, expected: ExpectedState, findings: Findings, pause: Duration = .milliseconds(5), pace: Duration
    ) {
        (self.home, self.expected, self.findings) = (home, expected, findings)
        (self.pause, self.pace) = (pause, pace)
        state = Mutex(State(acceptedBy: home.daemons.map { _ in 0 }))
    }

    var isOver: Bool { state.withLock { $0.isOver } }
    var accepted: Int { state.withLock { $0.accepted } }
    /// The number of acceptances by each daemon.
    var acceptedBy: [Int] { state.withLock { $0.acceptedBy } }
    var refused: Int { state.withLock { $0.refused } }
    var unanswered: Int { state.withLock { $0.unanswered } }

    func stop() { state.withLock { $0.isOver = true } }

    func countAccepted(by daemon: Int) {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            state.accepted += 1
            state.acceptedBy[daemon] += 1
            guard let mark = state.mark, state.accepted >= mark.count else { return nil }
            state.mark = nil
            return mark.action
        }
        action?()
    }

    func countRefused() { state.withLock { $0.refused += 1 } }
    func countUnanswered() { state.withLock { $0.unanswered += 1 } }

    /// Makes a caller's steps until the load is over, also while the daemon or its disk is gone: open requests are recorded.
    func untilOver(_ step: () async throws -> Void) async throws {
        while !isOver {
            do {
                try await step()
            } catch is AssayError {
                countUnanswered()
                try? await Task.sleep(for: pause)
            }
            if pace > .zero { try? await Task.sleep(for: pace) }
        }
    }

    /// Runs until ``stop()``, which `conduct` or an action must call.
    ///
    /// - Parameter isOutOfTime: the daemon's clock is stepped meanwhile.
    func run<Result: Sendable>(
        seed: UInt64, isOutOfTime: Bool = false, _ conduct: @escaping @Sendable (Load) async throws -> Result
    ) async throws -> Result {
        var clients: [AssayClient] = []
        let connections = max(Self.connections, home.daemons.count)
        // The load's, those that certificates are for, and those that watch.
        for number in 0..<(3 * connections) { clients.append(try await home.connect(to: number % home.daemons.count)) }
        // Divided among the clients before they register more.
        let phones = (0..<Self.loadClients).map { expected.phones(for: $0, of: Self.loadClients, atMost: 30) }
        let devices = (0..<Self.certificateClients).map {
            expected.certificates.devices(for: $0, of: Self.certificateClients, atMost: 30)
        }
        let result = try await withThrowingTaskGroup(of: Void.self) { [clients] group in
            for number in 0..<Self.loadClients {
                let second = (number + 1) % connections
                var loadClient = LoadClient(
                    load: self, daemon: number % home.daemons.count, client: clients[number % connections],
                    other: home.daemons.count == 1 ? nil : (clients[second], second % home.daemons.count),
                    numbers: SeededNumbers(seed: seed &+ UInt64(number) &* 0x9E37_79B9),
                    phones: phones[number], isOutOfTime: isOutOfTime)
                group.addTask { try await loadClient.run() }
            }
            for number in 0..<Self.certificateClients {
                var certificateClient = CertificateClient(
                    load: self, daemon: number % home.daemons.count, client: clients[connections + number % connections],
                    numbers: SeededNumbers(seed: ~seed &+ UInt64(number) &* 0x9E37_79B9),
                    devices: devices[number], isOutOfTime: isOutOfTime)
                group.addTask { try await certificateClient.run() }
            }
            for daemon in home.daemons.indices {
                group.addTask { await self.watch(clients[2 * connections + daemon]) }
            }
            do {
                let result = try await conduct(self)
                try await group.waitForAll()
                return result
            } catch {
                stop()
                throw error
            }
        }
        for client in clients { await client.close() }
        return result
    }

    /// Waits for a number of acceptances, or for a period without one.
    func wait(for count: Int, atMost limit: Duration = .seconds(20)) async throws {
        let late = ContinuousClock.now + limit
        while accepted < count, ContinuousClock.now < late { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Waits until each daemon has accepted once more. Returns those that did not in time.
    func waitForAll(atMost limit: Duration) async throws -> [Int] {
        let late = ContinuousClock.now + limit
        let before = acceptedBy
        while true {
            let now = acceptedBy
            let missing = now.indices.filter { now[$0] <= before[$0] }
            guard !missing.isEmpty, ContinuousClock.now < late else { return missing }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Runs an action on the thread that receives the answer of this acceptance, so that nothing happens between.
    func atAcceptance(_ count: Int, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.mark = (count, action) }
    }

    private func watch(_ client: AssayClient) async {
        while !isOver {
            if let status = try? await client.status(timeout: .seconds(5)) { expected.saw(status) }
            try? await Task.sleep(for: Self.glance)
        }
    }
}

/// The period in which the disk fails and nothing can be accepted.
final class Outage: Sendable {
    private let count = Atomic(0)

    /// Odd during the period.
    var number: Int { count.load(ordering: .sequentiallyConsistent) }

    func begin() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    func end() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
