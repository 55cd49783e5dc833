import ArgumentParser
import AssayClient
import AssayCore
import Foundation

/// What the parts of a capture cost: its upload in chunks, its depth map, and its chain of frame hashes.
struct CapturesBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures",
        abstract: "CPU of an upload of 800 chunks, of a depth map, and of a chain of 450 frame hashes, in milliseconds.",
        discussion: """
            An upload is begun, stated and finished: its CPU is that of the daemon. Of a map and of a chain it is that of the plugin's process, which \
            is started without the sandbox, with everything that a call takes there. A part whose options are left out is not measured. Exit status 1 if \
            a median is not below its bound.
            """)

    @Option(help: "The assayd to measure, a release build.")
    var daemon: String

    @Option(help: "Rounds; the median is the result.")
    var rounds: Int = 9

    @Option(help: "Uploads of each way in a round.")
    var uploads: Int = 20

    @Option(help: "Maps, and chains, in a round.")
    var calls: Int = 200

    @Option(name: .customLong("depth-plugin"), help: "The executable of the plugin scene-depth.")
    var depthPlugin: String?

    @Option(name: .customLong("depth-cases"), help: "The cases that plugins/scene-depth/tests/vectors.py writes.")
    var depthCases: String?

    @Option(name: .customLong("depth-case"), help: "The case of these whose map is judged: one that is accepted.")
    var depthCase: String = "checker"

    @Option(name: .customLong("chain-plugin"), help: "The main.py of the plugin video-chain, beside its vendor/.")
    var chainPlugin: String?

    @Option(name: .customLong("chain-cases"), help: "The cases that plugins/video-chain/tests/vectors.py writes.")
    var chainCases: String?

    @Option(name: .customLong("chain-case"), help: "The case of these whose chain is judged: one that is accepted.")
    var chainCase: String = "full"

    @Option(help: "The interpreter of the plugin video-chain.")
    var python: String = "/usr/bin/python3"

    @Option(name: .customLong("below-upload"), help: "Fail unless an upload costs the daemon less than this, in ms.")
    var belowUpload: Double = 40

    @Option(name: .customLong("below-map"), help: "Fail unless a map costs the plugin less than this, in ms.")
    var belowMap: Double = 5

    @Option(name: .customLong("below-chain"), help: "Fail unless a chain costs the plugin less than this, in ms.")
    var belowChain: Double = 2

    func validate() throws {
        guard rounds > 0, uploads > 0, calls > 0 else { throw ValidationError("All counts are positive.") }
        guard (depthPlugin == nil) == (depthCases == nil), (chainPlugin == nil) == (chainCases == nil) else {
            throw ValidationError("A plugin and its cases are given together.")
        }
    }

    func run() async throws {
        Interruption.exits()
        let process = try DaemonProcess(executable: daemon, DaemonConfiguration(takesUploads: true))
        defer { process.stop() }
        let client = try await Clients.connect(1, to: process.address)[0]
        var parts = [
            CapturePart(
                title: "upload, 800 chunks in 1 call", bound: belowUpload, subject: .uploads(process, client, chunks: 800)),
            CapturePart(
                title: "upload, 800 chunks in 8 calls", bound: belowUpload, subject: .uploads(process, client, chunks: 100)),
        ]
        if let depthPlugin, let depthCases {
            let subject = try CapturePart.Subject.plugin([depthPlugin], PluginCase.named(depthCase, in: depthCases))
            parts.append(CapturePart(title: "depth map", bound: belowMap, subject: subject))
        }
        if let chainPlugin, let chainCases {
            let subject = try CapturePart.Subject.plugin(
                [python, "-I", "-B", chainPlugin], PluginCase.named(chainCase, in: chainCases))
            parts.append(CapturePart(title: "chain of frame hashes", bound: belowChain, subject: subject))
        }
        try await measure(&parts)
        await client.close()
        try summarize(parts)
    }

    /// The first round is not counted: caches, tables and threads come into being in it.
    private func measure(_ parts: inout [CapturePart]) async throws {
        let unit = try RawOperation.verification()
        print("round  raw verification  CPU in ms, in the order of the table")
        for round in 0...rounds {
            let raw = unit.microseconds()
            var costs: [Double] = []
            for index in parts.indices {
                let cost = try await parts[index].subject.milliseconds(uploads: uploads, calls: calls)
                if round > 0 { parts[index].costs.append(cost) }
                costs.append(cost)
            }
            let name = round == 0 ? "first" : "\(round)    "
            say("\(name)  \(raw.text(1)) µs           \(costs.map { $0.text(2) }.joined(separator: "  "))")
        }
    }

    private func summarize(_ parts: [CapturePart]) throws {
        print("\nMedian (lowest–highest) of \(rounds) rounds:\n")
        print("| part | CPU | bound |")
        print("|---|---|---|")
        var isBelow = true
        for part in parts {
            let costs = part.costs.sorted()
            guard let first = costs.first, let last = costs.last else { continue }
            let median = costs[costs.count / 2]
            print(
                "| \(part.title) | \(median.text(2)) (\(first.text(2))–\(last.text(2))) ms | \(part.bound.text(1)) ms |")
            isBelow = isBelow && median < part.bound
        }
        print(
            "\nmachine: \(ProcessInfo.processInfo.activeProcessorCount) processors; \(uploads) uploads and \(calls) calls a round"
        )
        guard isBelow else {
            print("not all are below their bounds")
            throw ExitCode(1)
        }
    }
}
