import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Synchronization

/// Callers that work at the same time: phones register, upload, replay and forge, and operators block them.
final class Load: Sendable {
    /// Callers that send at once, and the connections that they share.
    static let loadClients = 8
    static let connections = 2
    /// How often somebody looks at the status, for the audit log's head.
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
        /// What happens after so many acceptances.
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

    /// Works until ``stop()``, which `conduct` or what happens at a mark has to say.
    ///
    /// - Parameter isOutOfTime: the daemon's clock is stepped meanwhile.
    func run<Result: Sendable>(
        seed: UInt64, isOutOfTime: Bool = false, _ conduct: @escaping @Sendable (Load) async throws -> Result
    ) async throws -> Result {
        var clients: [AssayClient] = []
        for _ in 0...Self.connections { clients.append(try await home.connect()) }
        // Shared out before anybody registers more.
        let phones = (0..<Self.loadClients).map { expected.phones(for: $0, of: Self.loadClients, atMost: 30) }
        let result = try await withThrowingTaskGroup(of: Void.self) { [clients] group in
            for number in 0..<Self.loadClients {
                var loadClient = LoadClient(
                    load: self, client: clients[number % Self.connections],
                    numbers: SeededNumbers(seed: seed &+ UInt64(number) &* 0x9E37_79B9),
                    phones: phones[number], isOutOfTime: isOutOfTime)
                group.addTask { try await loadClient.run() }
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

    /// Waits for so many acceptances, or for a time in which they do not come.
    func wait(for count: Int, atMost limit: Duration = .seconds(20)) async throws {
        let late = ContinuousClock.now + limit
        while accepted < count, ContinuousClock.now < late { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Does something in the thread that brings the answer of this acceptance, so that nothing lies between.
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

/// A time in which the disk fails and nothing can be accepted.
final class Outage: Sendable {
    private let count = Atomic(0)

    /// Odd while it lasts.
    var number: Int { count.load(ordering: .sequentiallyConsistent) }

    func begin() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    func end() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}

/// What was found to be broken.
final class Findings: Sendable {
    /// More kinds are not worth reading.
    static let limit = 50

    private let state = Mutex((counts: [String: Int](), comparisons: 0))

    var isEmpty: Bool { state.withLock { $0.counts.isEmpty } }
    /// How many comparisons were made.
    var comparisons: Int { state.withLock { $0.comparisons } }
    /// A sentence for each kind, with how often it was found.
    var sentences: [String] {
        state.withLock { $0.counts.sorted { $0.key < $1.key }.map { "\($0.key) [\($0.value)]" } }
    }

    /// Compares; what does not hold is a finding.
    func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        state.withLock { state in
            state.comparisons += 1
            if !holds, state.counts.count < Self.limit { state.counts[sentence(), default: 0] += 1 }
        }
    }
}
