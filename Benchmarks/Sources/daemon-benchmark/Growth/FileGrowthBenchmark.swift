import ArgumentParser
import AssayClient
import Foundation

struct FileGrowthBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "file-growth",
        abstract: "A ledger in a file that grows to ten million devices: cost of an assertion, memory, and time to start.",
        discussion: """
            Registers devices by import. At 10,000, 100,000, … devices it starts the daemon again and measures assertions of devices that are drawn from \
            all, in bursts. Ten million devices take an hour or two, and some 20 GB of the disk.
            """)

    @OptionGroup var options: GrowthOptions

    @Option(help: "Write the figures to this file, as JSON.")
    var json: String?

    @Flag(help: "Exit status 1 unless every bar is held.")
    var check = false

    func run() async throws {
        Interruption.exits()
        let daemon = try DaemonProcess(executable: options.load.daemon, DaemonConfiguration(acceptsImported: true))
        defer { daemon.stop() }
        try daemon.waitForAnswer()
        let phones = try await ImportedPhones(daemon, assertions: options.assertions, connections: options.load.connections)
        let unit = try RawOperation.verification()
        var growth = FileGrowth()
        for end in Checkpoints.upTo(options.devices ?? 10_000_000) {
            try await fill(phones, to: end)
            growth.steps.append(try await step(daemon, phones, unit))
            say(growth.steps.last?.line ?? "")
        }
        for client in phones.clients { await client.close() }
        print("\n| devices | in raw verifications | µs | burst p99 | memory | start |\n|---|---|---|---|---|---|")
        for step in growth.steps { print(step.line) }
        print("\n\(growth.bars.map(\.text).joined(separator: "\n"))")
        if let json { try growth.write(to: json) }
        if check, !growth.bars.allSatisfy(\.isHeld) { throw ExitCode(1) }
    }

    private func fill(_ phones: ImportedPhones, to end: Int) async throws {
        while phones.count < end {
            let first = phones.count
            let start = ContinuousClock.now
            try await phones.grow(to: min(first + 100_000, end))
            let seconds = start.duration(to: .now) / .seconds(1)
            say("\(phones.count) devices; \((Double(phones.count - first) / seconds).text(0)) imported per second")
        }
    }

    /// Starts the daemon again, and measures.
    private func step(
        _ daemon: DaemonProcess, _ phones: ImportedPhones, _ unit: RawOperation
    ) async throws -> FileGrowth.Step {
        let start = try daemon.restart() / .seconds(1)
        let traffic = Traffic(to: [daemon.address], connections: options.load.connections, inFlight: options.load.inFlight)
        var costs = RoundCosts()
        for _ in 1...options.load.rounds {
            costs.append(
                try await RoundCost.measure(phones, phones.perPhone, over: traffic, unit: unit) { [try daemon.cpuSeconds()] })
        }
        return FileGrowth.Step(
            devices: phones.count, ratio: Spread(costs.rounds.map { $0.ratios[0] }),
            microseconds: Spread(costs.rounds.map { $0.each[0] }), p99: costs.burst(0.99),
            bytes: try daemon.residentBytes(), startSeconds: start)
    }
}

/// The numbers of devices at which a growing ledger is measured.
enum Checkpoints {
    /// 10,000, ten times as many, and so on, and the last number.
    static func upTo(_ devices: Int) -> [Int] {
        var checkpoints: [Int] = []
        var next = 10_000
        while next < devices {
            checkpoints.append(next)
            next *= 10
        }
        return checkpoints + [devices]
    }
}

/// What was measured while a ledger in a file grew, as `--json` writes it.
struct FileGrowth: Codable {
    struct Step: Codable {
        let devices: Int
        /// CPU of the daemon for an assertion, in raw verifications of the same round.
        let ratio: Spread
        let microseconds: Spread
        /// The time within which 99 of 100 bursts were answered, in ms.
        let p99: Double
        /// Resident memory of the daemon after the assertions.
        let bytes: Double
        /// From the daemon's start to its first answer.
        let startSeconds: Double

        var line: String {
            "| \(devices) | \(ratio.text(2)) | \(microseconds.text(1)) | \(p99.text(1)) ms | \(bytes.bytes) | \(startSeconds.text(2)) s |"
        }
    }

    struct Bar: Codable {
        let title: String
        let found: Double
        let limit: Double

        var isHeld: Bool { found <= limit }
        var text: String { "\(title): \(found.text(2)), bar \(limit.text(2)): \(isHeld ? "held" : "NOT held")" }
    }

    var machine = Machine()
    var steps: [Step] = [] { didSet { bars = Self.bars(of: steps) } }
    /// From the first number of devices to the last.
    private(set) var bars: [Bar] = []

    private static func bars(of steps: [Step]) -> [Bar] {
        guard let first = steps.first, let last = steps.last else { return [] }
        return [
            Bar(title: "CPU, last to first", found: last.ratio.median / first.ratio.median, limit: 1.3),
            Bar(title: "p99 of bursts, last to first", found: last.p99 / first.p99, limit: 1.3),
            Bar(title: "memory in MB, the most", found: (steps.map(\.bytes).max() ?? 0) / 1e6, limit: 600),
            Bar(title: "start in s, the longest", found: steps.map(\.startSeconds).max() ?? 0, limit: 3),
        ]
    }

    func write(to file: String) throws { try JSONResults.write(self, to: file) }
}
