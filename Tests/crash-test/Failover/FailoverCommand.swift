import ArgumentParser
import AssayTesting
import Foundation

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

            Exit status: 0 every promise was kept; 1 one was broken, and the databases are kept; 69 the test could not be run.
            """)

    @Option(help: "How many rounds.")
    var rounds = FailoverScenario.allCases.count

    @Option(help: "How many daemons, 2 to 8.")
    var daemons = 3

    @Option(help: "How many requests are accepted before something fails, at most.")
    var acceptances = 60

    @Option(help: "Repeats the choices of an earlier run. What meets which request stays a matter of chance.")
    var seed: UInt64?

    @Option(help: "assayd. Default: the one beside this program.")
    var daemon: String?

    func validate() throws {
        guard acceptances > 0, rounds > 0 else { throw ValidationError("want numbers above zero") }
        guard (2...8).contains(daemons) else { throw ValidationError("want 2 to 8 daemons") }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999)
        let daemon = daemon ?? CrashTest.beside("assayd")
        guard FileManager.default.isExecutableFile(atPath: daemon) else { throw unable("there is no program \(daemon)") }
        guard let binaries = PostgresServer.programs else {
            throw unable("there is no PostgreSQL server here (initdb): install the package postgresql")
        }
        let cluster: Cluster
        do { cluster = try await Cluster(daemons: daemons, program: daemon, binaries: binaries) } catch {
            throw unable("\(error)")
        }
        say("failover test, seed \(seed), \(rounds) rounds, \(daemons) daemons; \(cluster.home.folder)")
        if !NetworkNamespace.areAvailable { say("no network is cut and no disk full: that needs root, and the program ip") }
        var testRun = FailoverRun(seed: seed, acceptances: acceptances, cluster: cluster)
        do {
            try await cluster.start()
            for round in 1...rounds where testRun.findings.isEmpty {
                let scenario = testRun.scenario(of: round)
                let title = scenario.rawValue.padding(toLength: 34, withPad: " ", startingAt: 0)
                say("round \(String(round).leftPadded(3))  \(title)", end: "")
                say(try await testRun.run(scenario))
            }
            try await testRun.finish()
        } catch {
            say("\nthe test cannot go on: \(error)")
            for sentence in testRun.findings.sentences { say("BROKEN  \(sentence)") }
            say("kept in \(cluster.folders)")
            cluster.keep()
            throw ExitCode(testRun.findings.isEmpty ? 69 : 1)
        }
        say(testRun.summary)
        guard testRun.findings.isEmpty else {
            for sentence in testRun.findings.sentences { say("BROKEN  \(sentence)") }
            say("kept in \(cluster.folders); make failover-test SEED=\(seed) repeats the choices")
            cluster.keep()
            throw ExitCode(1)
        }
        say("nothing was lost, and nothing was accepted twice")
        cluster.remove()
    }

    private func unable(_ reason: String) -> ExitCode {
        say("the test cannot go on: \(reason)")
        return ExitCode(69)
    }
}
