import ArgumentParser
import AssayClient
import AssayCore
import Foundation

struct ResultsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results",
        abstract:
            "What an Entity Attestation Result, signed with ES256, adds to an accepted, durable assertion, in verifications.",
        discussion: """
            Rounds with and without it alternate, against one daemon; each sends as many uploads, in bursts of the same size. Exit status 1 if the \
            difference is not below --below.
            """)

    @OptionGroup var options: LoadOptions

    @Option(help: "Assertions in each round.")
    var assertions: Int = 20_000

    @Option(help: "Fail unless the result costs less than this many raw verifications.")
    var below: Double = 0.6

    func validate() throws { try options.requireNoCounter() }

    func run() async throws {
        Interruption.exits()
        let daemon = try DaemonProcess(executable: options.daemon, DaemonConfiguration(signsResults: true))
        defer { daemon.stop() }
        let request = ResultRequest(
            shape: .earJWT, audience: DaemonConfiguration.audience, nonce: Array("nonce of the audience".utf8))
        var arrangements: [Arrangement] = []
        // Each has phones of its own, whose counters go on.
        for (title, results) in [("without", []), ("ear-jwt", [request])] as [(String, [ResultRequest])] {
            let load = try await AssertionLoad.prepare(
                daemon, devices: options.devices, connections: options.connections, results: results)
            arrangements.append(
                Arrangement(
                    title: title, load: load,
                    traffic: Traffic(to: [daemon.address], connections: options.connections, inFlight: options.inFlight)
                ) { [try daemon.cpuSeconds()] })
        }
        let perDevice = max(1, assertions / options.devices)
        try await measure(&arrangements, perDevice)
        let added = summarize(arrangements)
        print(
            "machine: \(ProcessInfo.processInfo.activeProcessorCount) processors, all busy; \(options.connections) connections, "
                + "bursts of \(options.inFlight); \(options.rounds) rounds of \(options.devices * perDevice) assertions each")
        for arrangement in arrangements {
            for client in arrangement.load.clients { await client.close() }
        }
        guard added < below else {
            print("a result is not below \(below)")
            throw ExitCode(1)
        }
    }

    private func measure(_ arrangements: inout [Arrangement], _ perDevice: Int) async throws {
        let unit = try RawOperation.verification()
        say("one raw P-256 verification on an idle machine: \(unit.microseconds().text(1)) µs of CPU")
        print("round  result   raw verification  daemon CPU per assertion  ratio  assertions per second")
        for round in 1...options.rounds {
            // Each begins a round in its turn, so that none always follows the other.
            for offset in arrangements.indices {
                let index = (round + offset) % arrangements.count
                let cost = try await arrangements[index].measure(perDevice, unit)
                let title = arrangements[index].title.padding(toLength: 8, withPad: " ", startingAt: 0)
                say(
                    "\(round)      \(title)  \(cost.raw.text(1)) µs           \(cost.each[0].text(1)) µs                   "
                        + "\(cost.ratios[0].text(2))   \(cost.perSecond.text(0))")
            }
        }
    }

    /// Prints the table, and returns the median of what a result adds in a round.
    private func summarize(_ arrangements: [Arrangement]) -> Double {
        print("\nMedian (lowest–highest) of all rounds:\n")
        print("| result | in raw verifications | µs | assertions per second | burst p50 | p99 |")
        print("|---|---|---|---|---|---|")
        for arrangement in arrangements {
            let costs = arrangement.costs
            let cells = [
                arrangement.title, costs.text(2) { $0.ratios[0] }, costs.text(1) { $0.each[0] }, costs.text(0, \.perSecond),
                costs.burst(0.5).text(1) + " ms", costs.burst(0.99).text(1) + " ms",
            ]
            print("| \(cells.joined(separator: " | ")) |")
        }
        let added = zip(arrangements[1].costs.rounds, arrangements[0].costs.rounds).map { $0.ratios[0] - $1.ratios[0] }.sorted()
        let median = added.isEmpty ? 0 : added[added.count / 2]
        print(
            "\na result adds \(median.text(2)) (\((added.first ?? 0).text(2))–\((added.last ?? 0).text(2))) raw verifications\n"
        )
        return median
    }
}
