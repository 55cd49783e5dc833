import AssayTesting
import Dispatch
import Foundation

/// What happens in one round: a fault, and its end.
struct Disturbance: Sendable {
    private let scenario: FailoverScenario
    private let cluster: Cluster
    private let findings: Findings
    /// The daemon that it concerns.
    private let daemon: Int
    /// How long the fault lasts, where it lasts.
    private let time: Duration
    /// Of a standby, which every third time is away for longer than a daemon's lease and waits for an answer last.
    private let standbyTime: Duration
    private let delay: Duration

    /// - Parameter numbers: choose daemon and times.
    init(_ scenario: FailoverScenario, of cluster: Cluster, findings: Findings, numbers: inout SeededNumbers) {
        (self.scenario, self.cluster, self.findings) = (scenario, cluster, findings)
        daemon = Int.random(in: 0..<cluster.count, using: &numbers)
        time = .milliseconds(Int.random(in: 200..<4000, using: &numbers))
        standbyTime = Int.random(in: 0..<3, using: &numbers) == 0 ? time + .seconds(16) : time
        delay = .microseconds(Int.random(in: 0..<30_000, using: &numbers))
    }

    /// Makes the fault, and ends it.
    func run(_ load: Load) async throws {
        try await Task.sleep(for: delay)
        switch scenario {
        case .killDaemon, .stopDaemon: try await restart(by: scenario == .killDaemon ? SIGKILL : SIGTERM)
        case .freezeDaemon:
            cluster.signal(SIGSTOP, daemon)
            try await expectOthers(of: load)
            cluster.signal(SIGCONT, daemon)
        case .partition:
            let namespace = cluster.namespaces[daemon]
            try await blocking { try namespace.cut() }
            try await expectOthers(of: load)
            try await blocking { try namespace.join() }
        case .failover: try await failOver(load)
        case .killDaemonAtFailover:
            cluster.signal(SIGKILL, daemon)
            try await failOver(load)
            try await cluster.end(daemon)
            try await cluster.start(daemon)
        case .formerPrimary:
            try await failOver(load, beside: time)
        case .standbyAway: try await withoutStandby(load)
        case .crashPrimary:
            try await blocking { [databases] in
                databases.primary.stop(SIGQUIT)
                try databases.primary.start()
            }
        case .freezePrimary: try await freezePrimary()
        case .killBackend:
            guard let victim = try databases.primary.children().randomElement() else { return }
            kill(victim, SIGKILL)
            // The server ends all others, and starts them again.
            try await Task.sleep(for: .milliseconds(500))
            try await blocking { [databases] in try databases.primary.waitUntilReady() }
        case .connections: try await blocking { [databases] in try databases.terminateConnections() }
        case .fullDisk: try await fillDisk()
        }
    }

    private var databases: DatabasePair { cluster.databases }

    // MARK: Daemons

    private func restart(by signal: Int32) async throws {
        cluster.signal(signal, daemon)
        let status = try await cluster.end(daemon)
        findings.expect(
            signal == SIGKILL || status == 0, "\(cluster.home.daemons[daemon]) ended with status \(status) after SIGTERM")
        try await cluster.start(daemon)
    }

    /// Waits, and looks whether the other daemons go on without the one that cannot accept anything.
    private func expectOthers(of load: Load) async throws {
        try await Task.sleep(for: time / 2)
        let before = load.acceptedBy
        try await Task.sleep(for: max(time / 2, .seconds(3)))
        let after = load.acceptedBy
        findings.expect(
            after[daemon] == before[daemon], "\(cluster.home.daemons[daemon]) accepts in spite of \(scenario.rawValue)")
        for other in cluster.home.daemons.indices where other != daemon {
            findings.expect(
                after[other] > before[other],
                "\(cluster.home.daemons[other]) accepts nothing while \(cluster.home.daemons[daemon]) is away (\(scenario.rawValue))"
            )
        }
    }

    // MARK: Servers

    /// - Parameter beside: how long the former primary runs again, beside the promoted one.
    private func failOver(_ load: Load, beside: Duration? = nil) async throws {
        try await blocking { [databases] in try databases.failOver() }
        if let beside {
            load.outage.begin()
            try databases.standby.launch()
            try await Task.sleep(for: beside)
            load.outage.end()
        }
        try await blocking { [databases] in try databases.rebuildStandby() }
    }

    private func withoutStandby(_ load: Load) async throws {
        try await blocking { [databases] in databases.standby.stop() }
        load.outage.begin()
        try await Task.sleep(for: standbyTime)
        load.outage.end()
        try await blocking { [databases] in try databases.standby.start() }
    }

    private func freezePrimary() async throws {
        guard let server = databases.primary.processID else { return }
        kill(server, SIGSTOP)
        let children = try databases.primary.children()
        for child in children { kill(child, SIGSTOP) }
        try await Task.sleep(for: time)
        for child in children { kill(child, SIGCONT) }
        kill(server, SIGCONT)
    }

    private func fillDisk() async throws {
        try await blocking { [databases] in try databases.fillDisk() }
        try await Task.sleep(for: time)
        try await blocking { [databases] in try databases.freeDisk() }
    }
}

/// Runs what blocks its thread on one that does not serve other tasks.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
}
