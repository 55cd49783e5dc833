import ArgumentParser

/// `crash-test failover`.
struct FailoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "failover",
        abstract: "Several daemons on one PostgreSQL ledger, while daemons, servers and the network fail.",
        discussion: """
            A PostgreSQL primary with a synchronous standby, and daemons on it, under the load of the crash test, spread over all of
            them; some requests are sent to two daemons at once. In each round something fails: a daemon, the primary, the standby, or
            the network between them. Afterwards each daemon has to accept again by itself within 30 seconds, and what callers were told
            is compared: what was answered ACCEPTED is in the audit logs, once; nothing spent is good again; a block holds at all
            daemons; every audit log verifies.

            Cut networks need root and the program ip; elsewhere these rounds are left out.

            \(ClusterTest.statuses)
            """)

    @Option(help: "How many rounds.")
    var rounds = FailoverScenario.allCases.count

    @OptionGroup var test: ClusterTest

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("want numbers above zero") }
    }

    func run() async throws {
        if !NetworkNamespace.areAvailable { say("no network is cut and no disk full: that needs root, and the program ip") }
        try await test.run("failover test, \(rounds) rounds", first: test.program) { testRun in
            for round in 1...rounds where testRun.findings.isEmpty {
                let scenario = testRun.scenario(of: round)
                sayRound(round, scenario.rawValue)
                say(try await testRun.run(scenario))
            }
        }
    }
}
