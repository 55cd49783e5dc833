import ArgumentParser

/// `crash-test upgrade`.
struct UpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Several daemons on one PostgreSQL ledger are exchanged for those of another version, under load.",
        discussion: """
            Daemons of the earlier version serve the load of the crash test. The later version's `assayd migrate` is run beside them; they
            have to go on, also after their connections have ended. Then one after the other is exchanged for the later version; one goes
            back to the earlier version, beside the later ones, and is exchanged again. After each step every daemon has to accept, and what
            callers were told is compared, as after a failure.

            \(ClusterTest.statuses)
            """)

    @Option(name: .customLong("from"), help: "assayd of the earlier version.")
    var earlier: String

    @OptionGroup var test: ClusterTest

    func run() async throws {
        try await test.run("upgrade test", first: earlier) { testRun in
            var round = 0
            for step in steps(testRun.cluster) where testRun.findings.isEmpty {
                round += 1
                sayRound(round, step.title)
                say(try await testRun.run(step.title, step.body))
            }
        }
    }

    private struct Step: Sendable {
        let title: String
        let body: @Sendable (Load) async throws -> Void

        init(_ title: String, _ body: @escaping @Sendable (Load) async throws -> Void) {
            (self.title, self.body) = (title, body)
        }
    }

    private func steps(_ cluster: Cluster) -> [Step] {
        let (earlier, later) = (earlier, test.program)
        let names = cluster.home.daemons
        func exchange(_ title: String, _ daemon: Int, _ program: String) -> Step {
            Step(title) { load in
                let status = try await cluster.exchange(daemon, for: program)
                load.findings.expect(status == 0, "\(names[daemon]) ended with status \(status) after SIGTERM")
            }
        }
        let migration = Step("assayd migrate") { load in
            let (status, words) = try await cluster.run(
                ["migrate", "--config", cluster.home.configuration()], as: 0, program: later)
            load.findings.expect(status == 0, "assayd migrate ended with status \(status): \(words)")
        }
        let reconnection = Step("connections terminated") { _ in
            try await blocking { try cluster.databases.terminateConnections() }
        }
        return [Step("the earlier version") { _ in }, migration, reconnection]
            + names.indices.map { exchange("\(names[$0]) is exchanged", $0, later) }
            + [exchange("\(names[0]) goes back", 0, earlier), exchange("and is exchanged again", 0, later)]
    }
}
