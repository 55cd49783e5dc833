import ArgumentParser
import Foundation

/// Measures the daemon's CPU time per accepted, durable assertion over TCP, in units of one raw P-256 verification of the same
/// run.
@main
struct DaemonBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon-benchmark",
        abstract: "Measure the daemon's CPU per accepted assertion against one raw P-256 verification.",
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

    func validate() throws {
        guard assertions > 0, rounds > 0, connections > 0, inFlight > 0 else {
            throw ValidationError("All counts are positive.")
        }
    }

    func run() async throws {
        let process = try DaemonProcess(executable: daemon)
        defer { process.stop() }
        let load = try await AssertionLoad.prepare(process, devices: connections * inFlight, connections: connections)
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let verification = try RawVerification()
        print("one raw P-256 verification on an idle machine: \(verification.microseconds().text(1)) µs of CPU")
        print("round  raw verification  daemon CPU per assertion  ratio  assertions per second")
        var ratios: [Double] = []
        for round in 1...rounds {
            let perDevice = max(1, assertions / (connections * inFlight))
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
}

extension Double {
    func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
