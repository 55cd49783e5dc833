import ArgumentParser
import Foundation

@main
struct FrontComparison: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "front-comparison",
        abstract: "Send the same requests over frames, gRPC and Connect's JSON, and compare the answers.",
        discussion: """
            A daemon registers devices, provisions cameras and issues challenges. Requests are made from these by a seed: right and wrong ones of \
            all kinds of evidence and of most methods. Three daemons on copies of the ledger then get them in the same order, each over one \
            protocol. Answers must be equal but for what a daemon draws at random, and for times; so must the records of verdicts, and the \
            lists of devices, blocks, certificates and permissions at the end.

            Exit status 1 if they differ; the differences are printed.
            """)

    @Option(help: "The path of assayd.")
    var daemon = ".build/release/assayd"

    @Option(help: "How many requests are sent to each daemon.")
    var requests = 10_000

    @Option(help: "Repeats the requests of an earlier run but for keys and challenges. Default: another one each time.")
    var seed: UInt64 = .random(in: 0...999_999)

    @Option(help: "How many differences are printed.")
    var show = 20

    @Option(help: "Keep the daemons' folders, with their logs, here. Default: they are deleted.")
    var keep: String?

    func validate() throws {
        guard requests > 0, show > 0 else { throw ValidationError("counts are positive numbers") }
    }

    func run() async throws {
        let place = try ComparisonFolder(keep: keep)
        defer { place.remove() }
        print("seed \(seed)")
        let recorded = try await record(in: place)
        let differences = try await compare(recorded, in: place)
        guard differences.count > 0 else { return print("no answer and no record differs") }
        print("\(differences.count) differences; the first:\n")
        for difference in differences.prefix(show) { print(difference + "\n") }
        throw ExitCode(1)
    }

    /// Makes the ledger, and the requests against it.
    private func record(in place: ComparisonFolder) async throws -> [RecordedRequest] {
        let start = ContinuousClock.now
        let daemon = try await ComparedDaemon(executable: daemon, folder: try place.make("base"))
        let stage = try await Stage(FramedFront(port: daemon.framedPort), place.world)
        var recorder = RequestRecorder(stage, seed: seed)
        let recorded = try await recorder.record(requests)
        daemon.stop()
        say("\(recorded.count) requests are made", since: start)
        for (kind, count) in recorded.kinds { print("  \(count) \(kind)") }
        return recorded
    }

    /// Sends them, and returns what differs.
    private func compare(_ recorded: [RecordedRequest], in place: ComparisonFolder) async throws -> [String] {
        let start = ContinuousClock.now
        var daemons: [ComparedDaemon] = []
        defer { for daemon in daemons { daemon.stop() } }
        for name in ["framed", "grpc", "json"] {
            daemons.append(try await ComparedDaemon(executable: daemon, folder: try place.make(name, copying: "base")))
        }
        let fronts: [any Front] = [
            try FramedFront(port: daemons[0].framedPort), try await GRPCFront(port: daemons[1].httpPort),
            ConnectFront(port: daemons[2].httpPort),
        ]
        var comparison = Comparison(fronts)
        for request in recorded { try await comparison.send(request) }
        say("each is sent over \(fronts.map(\.name).joined(separator: ", "))", since: start)
        for (outcome, count) in comparison.outcomes { print("  \(count) \(outcome)") }
        try await comparison.compareRecords()
        print("compared: \(comparison.compared.map { "\($0.count) \($0.what)" }.joined(separator: ", "))")
        return comparison.differences
    }

    private func say(_ text: String, since start: ContinuousClock.Instant) {
        print("\(text), in \(Int((ContinuousClock.now - start) / .seconds(1))) s")
    }
}
