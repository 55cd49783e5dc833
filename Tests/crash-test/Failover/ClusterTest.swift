import ArgumentParser
import AssayTesting
import Foundation

/// The options of tests of several daemons on one database, and the beginning and the end of such a test.
struct ClusterTest: ParsableArguments {
    /// What is said if the databases are kept, and how the test ends.
    static let statuses =
        "Exit status: 0 every promise was kept; 1 one was broken, and the databases are kept; 69 the test could not be run."

    @Option(help: "How many daemons, 2 to 8.")
    var daemons = 3

    @Option(help: "How many requests are accepted before something happens, at most.")
    var acceptances = 60

    @Option(help: "Repeats the choices of an earlier run. What meets which request stays a matter of chance.")
    var seed: UInt64?

    @Option(help: "assayd. Default: the one beside this program.")
    var daemon: String?

    @OptionGroup var pace: Pace

    func validate() throws {
        guard acceptances > 0 else { throw ValidationError("want numbers above zero") }
        guard (2...8).contains(daemons) else { throw ValidationError("want 2 to 8 daemons") }
    }

    /// The program under test.
    var program: String { daemon ?? CrashTest.beside("assayd") }

    /// Starts daemons on a pair of databases, runs rounds until a promise is broken, ends the daemons, and removes everything.
    ///
    /// - Parameters:
    ///   - title: for people.
    ///   - first: the program that the daemons are at first.
    func run(
        _ title: String, first: String, rounds: (inout FailoverRun) async throws -> Void
    ) async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999)
        for program in [first, program] {
            guard FileManager.default.isExecutableFile(atPath: program) else { throw unable("there is no program \(program)") }
        }
        guard let binaries = PostgresServer.programs else {
            throw unable("there is no PostgreSQL server here (initdb): install the package postgresql")
        }
        let cluster: Cluster
        do {
            cluster = try await Cluster(
                daemons: daemons, program: first, binaries: binaries, takesUploads: first == program)
        } catch {
            throw unable("\(error)")
        }
        say("\(title), seed \(seed), \(daemons) daemons; \(cluster.home.folder)")
        var testRun = FailoverRun(seed: seed, acceptances: acceptances, pace: pace.interval, cluster: cluster)
        do {
            try await cluster.start()
            try await rounds(&testRun)
            try await testRun.finish()
        } catch {
            say("\nthe test cannot go on: \(error)")
            throw end(testRun, status: 69)
        }
        say(testRun.summary)
        guard testRun.findings.isEmpty else { throw end(testRun, status: 1) }
        say("nothing was lost, and nothing was accepted twice")
        cluster.remove()
    }

    /// Says what was broken, and keeps everything.
    private func end(_ testRun: FailoverRun, status: Int32) -> ExitCode {
        for sentence in testRun.findings.sentences { say("BROKEN  \(sentence)") }
        say("kept in \(testRun.cluster.folders); --seed \(testRun.seed) repeats the choices")
        testRun.cluster.keep()
        return ExitCode(testRun.findings.isEmpty ? status : 1)
    }

    private func unable(_ reason: String) -> ExitCode {
        say("the test cannot go on: \(reason)")
        return ExitCode(69)
    }
}

/// Says the beginning of a round's line.
func sayRound(_ number: Int, _ title: String) {
    say("round \(String(number).leftPadded(3))  \(title.padding(toLength: 34, withPad: " ", startingAt: 0))", end: "")
}
