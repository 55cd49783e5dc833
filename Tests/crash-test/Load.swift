import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Synchronization

/// Simultaneous callers: phones register, upload, replay and forge, devices get certificates and sign with them, and operators block
/// and revoke.
final class Load: Sendable {
    /// The number of simultaneous callers, and of the connections they share.
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
    private let state = Mutex(State())

    private struct State {
        var isOver = false
        var accepted = 0
        var refused = 0
        var unanswered = 0
        /// Actions after a given number of acceptances.
        var mark: (count: Int, action: @Sendable () -> Void)?
    }

    init(home: Home, expected: ExpectedState, findings: Findings) {
        (self.home, self.expected, self.findings) = (home, expected, findings)
    }

    var isOver: Bool { state.withLock { $0.isOver } }
    var accepted: Int { state.withLock { $0.accepted } }
    var refused: Int { state.withLock { $0.refused } }
    var unanswered: Int { state.withLock { $0.unanswered } }

    func stop() { state.withLock { $0.isOver = true } }

    func countAccepted() {
        let action = state.withLock { state -> (@Sendable () -> Void)? in
            state.accepted += 1
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
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// Runs until ``stop()``, which `conduct` or an action must call.
    ///
    /// - Parameter isOutOfTime: the daemon's clock is stepped meanwhile.
    func run<Result: Sendable>(
        seed: UInt64, isOutOfTime: Bool = false, _ conduct: @escaping @Sendable (Load) async throws -> Result
    ) async throws -> Result {
        var clients: [AssayClient] = []
        for _ in 0...(Self.connections + 1) { clients.append(try await home.connect()) }
        // Divided among the clients before they register more.
        let phones = (0..<Self.loadClients).map { expected.phones(for: $0, of: Self.loadClients, atMost: 30) }
        let devices = (0..<Self.certificateClients).map {
            expected.certificates.devices(for: $0, of: Self.certificateClients, atMost: 30)
        }
        let result = try await withThrowingTaskGroup(of: Void.self) { [clients] group in
            for number in 0..<Self.loadClients {
                var loadClient = LoadClient(
                    load: self, client: clients[number % Self.connections],
                    numbers: SeededNumbers(seed: seed &+ UInt64(number) &* 0x9E37_79B9),
                    phones: phones[number], isOutOfTime: isOutOfTime)
                group.addTask { try await loadClient.run() }
            }
            for number in 0..<Self.certificateClients {
                var certificateClient = CertificateClient(
                    load: self, client: clients[Self.connections + 1],
                    numbers: SeededNumbers(seed: ~seed &+ UInt64(number) &* 0x9E37_79B9),
                    devices: devices[number], isOutOfTime: isOutOfTime)
                group.addTask { try await certificateClient.run() }
            }
            group.addTask { await self.watch(clients[Self.connections]) }
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

    /// Runs an action on the thread that receives the answer of this acceptance, so that nothing happens between.
    func atAcceptance(_ count: Int, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.mark = (count, action) }
    }

    private func watch(_ client: AssayClient) async {
        while !isOver {
            if let status = try? await client.status(timeout: .seconds(5)) { expected.saw(status.audit) }
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

/// The broken promises.
final class Findings: Sendable {
    /// More kinds are not worth reading.
    static let limit = 50

    private let state = Mutex((counts: [String: Int](), comparisons: 0))

    var isEmpty: Bool { state.withLock { $0.counts.isEmpty } }
    /// The number of comparisons.
    var comparisons: Int { state.withLock { $0.comparisons } }
    /// A sentence for each kind, with its count.
    var sentences: [String] {
        state.withLock { $0.counts.sorted { $0.key < $1.key }.map { "\($0.key) [\($0.value)]" } }
    }

    /// Compares; a difference is a finding.
    func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        state.withLock { state in
            state.comparisons += 1
            if !holds, state.counts.count < Self.limit { state.counts[sentence(), default: 0] += 1 }
        }
    }
}
