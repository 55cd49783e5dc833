import ArgumentParser
import AssayClient
import Foundation

struct ProfileBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Samples where the daemon's CPU goes while it does one operation of the table, by perf.",
        discussion: """
            Writes what `perf record` writes; `perf script` reads it. Only the rounds are sampled, not what is prepared for them. It needs Linux's perf \
            and the right to sample a process of the same user.
            """)

    @Option(help: "The assayd to sample, a release build.")
    var daemon: String

    @Option(name: .customLong("row"), help: "A row of the table.")
    var name: String = AssertionRow().id

    @Option(help: "So many rounds' requests are sampled.")
    var rounds: Int = 3

    @Option(help: "Samples of each processor in a second.")
    var frequency: Int = 997

    @Option(help: "The file of samples.")
    var output: String

    func validate() throws {
        guard rounds > 0, frequency > 0 else { throw ValidationError("All counts are positive.") }
        guard TableRows.all.contains(where: { $0.id == name }) else { throw ValidationError("There is no row \(name).") }
    }

    func run() async throws {
        Interruption.exits()
        let stage = TableStage(executable: daemon)
        defer { stage.stop() }
        guard let row = TableRows.all.first(where: { $0.id == name }) else { return }
        let subject = try await row.prepare(in: stage, row.sending)
        let traffic = row.sending.traffic(to: subject.daemon)
        // The first round is not sampled: caches and threads come into being in it.
        _ = try await send(subject, over: traffic, row.sending.perDevice) { try traffic.send($0) }
        let count = try await send(subject, over: traffic, row.sending.perDevice * rounds) { bursts in
            let recorder = try record(subject.daemon.processID)
            defer { finish(recorder) }
            return try traffic.send(bursts)
        }
        say("\(output): samples of \(count) requests")
        for client in subject.load.clients { await client.close() }
    }

    private func send(
        _ subject: RowSubject, over traffic: Traffic, _ count: Int, _ work: ([Traffic.Bursts]) throws -> Traffic.Answers
    ) async throws -> Int {
        let bursts = try await subject.load.bursts(count, over: traffic)
        return try subject.load.accepted(try work(bursts).replies, by: traffic.front)
    }

    private func record(_ process: pid_t) throws -> Process {
        let recorder = Process()
        recorder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        recorder.arguments = [
            "perf", "record", "--quiet", "--event", "cpu-clock", "--freq", "\(frequency)", "--call-graph", "fp", "--pid",
            "\(process)",
            "--output", output,
        ]
        try recorder.run()
        // It takes a moment until it samples.
        usleep(300_000)
        return recorder
    }

    private func finish(_ recorder: Process) {
        // It writes what it has for SIGTERM too. SIGINT it does not get where a shell has started this in the background.
        recorder.terminate()
        recorder.waitUntilExit()
    }
}
