import ArgumentParser
import Foundation

/// The daemon's CPU per accepted, durable assertion over TCP, in units of one raw P-256 verification of the same run; or its heap
/// allocations.
@main
struct DaemonBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon-benchmark",
        abstract: "Measure the daemon's CPU per accepted assertion against one raw P-256 verification, or its allocations.",
        discussion: "Exit status 1 if the ratio is not below --below.")

    @Option(help: "The assayd to measure, a release build.")
    var daemon: String

    @Option(help: "Assertions in each round.")
    var assertions: Int = 20_000

    @Option(help: "Rounds; the median is the result.")
    var rounds: Int = 9

    @Option(help: "Connections.")
    var connections: Int = 4

    @Option(help: "Assertions in flight on each connection.")
    var inFlight: Int = 128

    @Option(help: "Fail unless the ratio is below this.")
    var below: Double = 1.6

    @Option(
        name: .customLong("count-allocations"),
        help: ArgumentHelp(
            "Count the daemon's heap allocations instead, by the library made of allocation-counter.c.", valueName: "library"))
    var counter: String?

    func validate() throws {
        guard assertions > 0, rounds > 0, connections > 0, inFlight > 0 else {
            throw ValidationError("All counts are positive.")
        }
        if let counter, !FileManager.default.fileExists(atPath: counter) {
            throw ValidationError("There is no \(counter). `make bench-allocations` makes it; Benchmarks/README.md says how.")
        }
    }

    func run() async throws {
        let process = try DaemonProcess(executable: daemon, counter: counter)
        defer { process.stop() }
        let load = try await AssertionLoad.prepare(process, devices: connections * inFlight, connections: connections)
        if counter == nil {
            try await measureProcessor(process, load)
        } else {
            try await countAllocations(process, load)
        }
    }

    /// How many uploads each device makes in a round.
    private var perDevice: Int { max(1, assertions / (connections * inFlight)) }

    private func measureProcessor(_ process: DaemonProcess, _ load: AssertionLoad) async throws {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let verification = try RawVerification()
        print("one raw P-256 verification on an idle machine: \(verification.microseconds().text(1)) µs of CPU")
        print("round  raw verification  daemon CPU per assertion  ratio  assertions per second")
        var ratios: [Double] = []
        for round in 1...rounds {
            let bursts = try load.bursts(try await load.sign(perDevice))
            let before = try process.cpuSeconds()
            let start = ContinuousClock.now
            let (raw, replies) = try verification.microseconds { try load.send(bursts) }
            let elapsed = start.duration(to: .now) / .seconds(1)
            let spent = try process.cpuSeconds() - before
            let accepted = try AssertionLoad.accepted(replies)
            let cpu = spent / Double(accepted) * 1e6
            ratios.append(cpu / raw)
            print(
                "\(round)      \(raw.text(1)) µs           \(cpu.text(1)) µs                   \((cpu / raw).text(2))   "
                    + "\((Double(accepted) / elapsed).text(0))")
        }
        await load.close()
        let median = ratios.sorted()[ratios.count / 2]
        print("ratio \(median.text(2)) (median of \(rounds), \((ratios.min() ?? 0).text(2)) to \((ratios.max() ?? 0).text(2)))")
        print(
            "machine: \(processors) processors, all busy; \(connections) connections, bursts of \(inFlight)"
        )
        guard median < below else {
            print("the ratio is not below \(below)")
            throw ExitCode(1)
        }
    }

    /// The first round is not counted: caches, tables and threads come into being in it.
    private func countAllocations(_ process: DaemonProcess, _ load: AssertionLoad) async throws {
        print("round  allocations per assertion  reallocations  bytes")
        var allocations: [Double] = []
        for round in 0...rounds {
            let bursts = try load.bursts(try await load.sign(perDevice))
            let before = try process.allocations()
            let accepted = try AssertionLoad.accepted(try load.send(bursts))
            let each = try process.allocations().since(before, per: accepted)
            guard each.allocations > 0 else {
                throw ValidationError("Nothing was counted: \(daemon) does not take its memory from the system's C library.")
            }
            let numbers =
                "\(each.allocations.text(2))                    \(each.reallocations.text(2))           \(each.bytes.text(0))"
            print(round == 0 ? "first  \(numbers)   (not counted)" : "\(round)      \(numbers)")
            if round > 0 { allocations.append(each.allocations) }
        }
        await load.close()
        let range = "\((allocations.min() ?? 0).text(2)) to \((allocations.max() ?? 0).text(2))"
        print("allocations \(allocations.sorted()[allocations.count / 2].text(2)) (median of \(rounds), \(range))")
        print("\(connections) connections, bursts of \(inFlight), \(perDevice) of them in each round")
    }
}

extension Double {
    func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
