import AssayClient
import AssayCore
import AssayTesting
import Foundation

/// The rounds, one after the other, on one cluster.
///
/// Each round runs the load through a fault or another change, waits until every daemon accepts again, ends the load, verifies the audit
/// logs and compares.
struct FailoverRun {
    /// The longest time from the end of a fault until each daemon accepts again.
    static let recoveryLimit = Duration.seconds(30)

    let seed: UInt64
    let acceptances: Int
    /// How long a caller waits between its requests.
    let pace: Duration
    let cluster: Cluster
    let expected = ExpectedState()
    let findings = Findings()
    var numbers: SeededNumbers
    /// From the end of each fault until each daemon accepted again, in the order in which the kinds first came.
    private var recoveries: [(title: String, times: [Duration])] = []
    private let begin = ContinuousClock.now

    init(seed: UInt64, acceptances: Int, pace: Duration, cluster: Cluster) {
        (self.seed, self.acceptances, self.pace, self.cluster) = (seed, acceptances, pace, cluster)
        numbers = SeededNumbers(seed: seed)
    }

    /// Those that are possible here.
    private var scenarios: [FailoverScenario] {
        FailoverScenario.allCases.filter { !$0.needsRoot || !cluster.namespaces.isEmpty }
    }

    /// The first rounds each have another scenario, later ones are chosen.
    mutating func scenario(of round: Int) -> FailoverScenario {
        if round <= scenarios.count { return scenarios[round - 1] }
        return scenarios.randomElement(using: &numbers) ?? .killDaemon
    }

    /// Runs one round, and returns a line about it.
    mutating func run(_ scenario: FailoverScenario) async throws -> String {
        let disturbance = Disturbance(scenario, of: cluster, findings: findings, numbers: &numbers)
        return try await run(scenario.rawValue) { load in try await disturbance.run(load) }
    }

    /// Runs one round with a change of any kind.
    mutating func run(_ title: String, _ change: @escaping @Sendable (Load) async throws -> Void) async throws -> String {
        let load = Load(home: cluster.home, expected: expected, findings: findings, pause: .milliseconds(100), pace: pace)
        let before = Int.random(in: 1...acceptances, using: &numbers)
        let recovery = try await load.run(seed: numbers.next()) { [cluster] load in
            try await load.wait(for: before)
            try await change(load)
            let end = ContinuousClock.now
            let missing = try await load.waitForAll(atMost: Self.recoveryLimit)
            for daemon in missing {
                load.findings.expect(
                    false,
                    "\(cluster.home.daemons[daemon]) accepts nothing \(Self.recoveryLimit) after \"\(title)\"\n\(cluster.log(daemon))"
                )
            }
            load.stop()
            return end.duration(to: .now)
        }
        if let known = recoveries.firstIndex(where: { $0.title == title }) {
            recoveries[known].times.append(recovery)
        } else {
            recoveries.append((title, [recovery]))
        }
        for (daemon, log) in cluster.ended {
            findings.expect(false, "\(cluster.home.daemons[daemon]) ended by itself\n\(log)")
        }
        guard findings.isEmpty else { return "broken" }
        try await verifyAudit()
        let compared = try await compare()
        return
            "\(load.accepted) accepted, \(load.refused) refused, \(load.unanswered) unanswered; recovered in \(recovery.seconds); \(compared)"
    }

    /// Ends the daemons after the last round. They must end in order.
    func finish() async throws {
        guard findings.isEmpty else { return }
        for daemon in cluster.home.daemons.indices {
            cluster.signal(SIGTERM, daemon)
            let status = try await cluster.end(daemon)
            findings.expect(status == 0, "\(cluster.home.daemons[daemon]) ended with status \(status) after SIGTERM")
        }
    }

    private mutating func compare() async throws -> String {
        let client = try await cluster.home.connect(to: Int.random(in: 0..<cluster.count, using: &numbers))
        let comparison = Comparison(
            recent: max(20, acceptances / 2), home: cluster.home, expected: expected, findings: findings, client: client)
        let compared = try await comparison.run(seed: numbers.next())
        await client.close()
        return compared
    }

    /// `assayd audit verify`, of all writers.
    private func verifyAudit() async throws {
        let state = expected.now
        let heads = state.heads.values.flatMap { ["--expect-head", $0.description] }
        let command = ["audit", "verify", "--config", cluster.home.configuration(), "--public-key", state.publicKey] + heads
        var (status, words) = try await cluster.run(command, as: 0)
        // A command gives up after 2 s without a connection, which a busy machine may take.
        for _ in 0..<5 where status == 69 {
            try await Task.sleep(for: .seconds(1))
            (status, words) = try await cluster.run(command, as: 0)
        }
        findings.expect(status == 0, "the audit logs do not verify: \(words)")
    }

    /// Of the whole run, for people.
    var summary: String {
        let state = expected.now
        let certificates = expected.certificates.now
        let kinds = recoveries.compactMap { kind -> String? in
            let times = kind.times.sorted()
            guard let last = times.last else { return nil }
            let title = kind.title.padding(toLength: 34, withPad: " ", startingAt: 0)
            return
                "\(title)\(times.count) rounds; accepted again after \(times[times.count / 2].seconds), at most \(last.seconds)"
        }
        return kinds.joined(separator: "\n") + "\n"
            + "\(recoveries.reduce(0) { $0 + $1.times.count }) rounds in \(begin.duration(to: .now).seconds): "
            + "\(state.registered.count + certificates.devices.count) devices, \(state.count + certificates.verdicts) accepted verdicts, "
            + "\(certificates.issued.count) certificates; \(findings.comparisons) comparisons"
    }
}

extension Duration {
    /// With a tenth.
    fileprivate var seconds: String { formatted(.units(allowed: [.seconds], width: .narrow, fractionalPart: .show(length: 1))) }
}
