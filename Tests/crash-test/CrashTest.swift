import ArgumentParser
import Foundation

@main
struct CrashTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crash-test", abstract: "Kills assayd under load, again and again, and compares what is left.",
        subcommands: [RunCommand.self, FailoverCommand.self, UpgradeCommand.self, FaultyDaemon.self],
        defaultSubcommand: RunCommand.self)

    static var itself: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// A program in this one's folder.
    static func beside(_ name: String) -> String {
        URL(fileURLWithPath: itself).deletingLastPathComponent().appendingPathComponent(name).path
    }
}

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Kill assayd under load, again and again, and compare what is left.",
        discussion: """
            Virtual phones register, upload, replay and forge, and operators block them. Phones, Android devices and the cameras of
            a fleet get certificates, renew them and sign bundles, and operators revoke them. In between the daemon is killed, its
            disk fails, its clock steps and a backup is restored. Each time it is started again on the same ledger: what was
            answered ACCEPTED has to be there, nothing spent may be good again, nothing that was refused may have come to life,
            every certificate that was sent is on record under a serial number of its own, and the audit log has to verify.

            Exit status: 0 every promise was kept; 1 one was broken, and the ledger is kept; 69 the test could not be run.
            """)

    @Option(help: "How long, in seconds. The round that has begun is finished.")
    var seconds = 60

    @Option(help: "How many rounds, in place of a time.")
    var rounds: Int?

    @Option(help: "How many requests are accepted before a daemon is killed, at most.")
    var acceptances = 250

    @Option(help: "Repeats the choices of an earlier run. When a signal meets the daemon stays a matter of chance.")
    var seed: UInt64?

    @Option(help: "assayd. Default: the one beside this program.")
    var daemon: String?

    @OptionGroup var pace: Pace

    func validate() throws {
        guard acceptances > 0, seconds >= 0, rounds ?? 1 > 0 else { throw ValidationError("want numbers above zero") }
    }

    func run() async throws {
        let seed = seed ?? UInt64.random(in: 1...999_999)
        let daemon = daemon ?? CrashTest.beside("assayd")
        guard FileManager.default.isExecutableFile(atPath: daemon) else {
            say("the test cannot go on: there is no program \(daemon)")
            throw ExitCode(69)
        }
        let home = try await Home()
        say("crash test, seed \(seed), \(rounds.map { "\($0) rounds" } ?? "\(seconds) s"); ledger \(home.ledger)")
        var testRun = CrashTestRun(
            seed: seed, acceptances: acceptances, pace: pace.interval, daemon: daemon, itself: CrashTest.itself, home: home)
        let start = ContinuousClock.now
        var round = 0
        do {
            while rounds.map({ round < $0 }) ?? (start.duration(to: .now) < .seconds(seconds)), testRun.findings.isEmpty {
                round += 1
                let scenario = testRun.scenario(of: round)
                let title = scenario.rawValue.padding(toLength: 24, withPad: " ", startingAt: 0)
                say("round \(String(round).leftPadded(3))  \(title)  ", end: "")
                say(try await testRun.run(scenario))
            }
            try await testRun.finish()
        } catch {
            say("\nthe test cannot go on: \(error)\nthe ledger is kept")
            testRun.process?.signal(SIGKILL)
            throw ExitCode(testRun.findings.isEmpty ? 69 : 1)
        }
        let state = testRun.expected.now
        let certificates = testRun.expected.certificates.now
        say(
            "\(round) rounds, \(testRun.kills) kills; the ledger has \(state.registered.count + certificates.devices.count) devices, "
                + "\(state.count + certificates.verdicts) accepted verdicts and \(certificates.issued.count) certificates; "
                + "\(certificates.serials.count) certificates were received in all; \(testRun.findings.comparisons) comparisons"
        )
        guard testRun.findings.isEmpty else {
            for sentence in testRun.findings.sentences { say("BROKEN  \(sentence)") }
            say("the ledger is kept in \(home.folder); make crash-test SEED=\(seed) repeats the choices")
            throw ExitCode(1)
        }
        say("nothing was lost, and nothing came back")
        home.remove()
    }
}

/// Prints without buffering, wherever standard output leads.
func say(_ text: String, end: String = "\n") {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + end).utf8))
}

extension String {
    func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
