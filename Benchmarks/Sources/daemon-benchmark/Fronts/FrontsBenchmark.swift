import ArgumentParser
import AssayClient
import Foundation

struct FrontsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fronts",
        abstract:
            "An accepted, durable assertion over each protocol of the same daemon, against one verification and each other.",
        discussion: """
            Rounds of all protocols alternate; each sends as many uploads, in bursts of the same size. gRPC and JSON are sent over HTTP/2 without \
            TLS. Exit status 1 if a protocol costs more than its bound.
            """)

    @OptionGroup var options: LoadOptions

    @Option(help: "Assertions in each round.")
    var assertions: Int = 20_000

    @Option(name: .customLong("front"), help: "A protocol beside framed: grpc or json. Default: both.")
    var fronts: [LoadFront] = [.grpc, .json]

    @Option(help: "Fail unless an assertion over gRPC costs less than this many over frames. Default: no bound.")
    var grpcBelow: Double?

    @Option(help: "The same of JSON.")
    var jsonBelow: Double?

    func validate() throws { try options.requireNoCounter() }

    func run() async throws {
        Interruption.exits()
        let daemon = try DaemonProcess(executable: options.daemon, DaemonConfiguration(speaksHTTP: true))
        defer { daemon.stop() }
        let load = try await AssertionLoad.prepare(daemon, devices: options.devices, connections: options.connections)
        let measured = [.framed] + LoadFront.allCases.filter { $0 != .framed && fronts.contains($0) }
        var arrangements = measured.map { front in
            Arrangement(
                title: front.rawValue, load: load,
                traffic: Traffic(
                    to: [front.isHTTP ? daemon.httpAddress : daemon.address], by: front, connections: options.connections,
                    inFlight: options.inFlight)
            ) { [try daemon.cpuSeconds()] }
        }
        let perDevice = max(1, assertions / options.devices)
        try await measure(&arrangements, perDevice)
        summarize(arrangements)
        print(
            "machine: \(ProcessInfo.processInfo.activeProcessorCount) processors, all busy; \(options.connections) connections, "
                + "bursts of \(options.inFlight); \(options.rounds) rounds of \(options.devices * perDevice) assertions each")
        for client in load.clients { await client.close() }
        try requireBounds(arrangements)
    }

    private func measure(_ arrangements: inout [Arrangement], _ perDevice: Int) async throws {
        let unit = try RawOperation.verification()
        say("one raw P-256 verification on an idle machine: \(unit.microseconds().text(1)) µs of CPU")
        print("round  protocol  raw verification  daemon CPU per assertion  ratio  assertions per second")
        for round in 1...options.rounds {
            // Each begins a round in its turn, so that none always follows the same one.
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

    private func summarize(_ arrangements: [Arrangement]) {
        print("\nMedian (lowest–highest) of all rounds:\n")
        print(
            "| protocol | in raw verifications | against framed in the same round | µs | assertions per second | burst p50 | p99 |"
        )
        print("|---|---|---|---|---|---|---|")
        for arrangement in arrangements {
            let costs = arrangement.costs
            let shares = Self.shares(arrangement, of: arrangements).sorted()
            let share = "\(Self.median(shares).text(2)) (\((shares.first ?? 0).text(2))–\((shares.last ?? 0).text(2)))"
            let cells = [
                arrangement.title, costs.text(2) { $0.ratios[0] }, share, costs.text(1) { $0.each[0] },
                costs.text(0, \.perSecond),
                costs.burst(0.5).text(1) + " ms", costs.burst(0.99).text(1) + " ms",
            ]
            print("| \(cells.joined(separator: " | ")) |")
        }
        print("")
    }

    private func requireBounds(_ arrangements: [Arrangement]) throws {
        var isExceeded = false
        for (front, bound) in [(LoadFront.grpc, grpcBelow), (.json, jsonBelow)] {
            guard let bound, let arrangement = arrangements.first(where: { $0.title == front.rawValue }) else { continue }
            guard Self.median(Self.shares(arrangement, of: arrangements).sorted()) >= bound else { continue }
            print("\(front.rawValue) is not below \(bound)")
            isExceeded = true
        }
        if isExceeded { throw ExitCode(1) }
    }

    /// What an assertion cost in each round, as a multiple of one over frames in the same round.
    private static func shares(_ arrangement: Arrangement, of all: [Arrangement]) -> [Double] {
        guard let framed = all.first else { return [] }
        return zip(arrangement.costs.rounds, framed.costs.rounds).map { $0.ratios[0] / $1.ratios[0] }
    }

    private static func median(_ sorted: [Double]) -> Double { sorted.isEmpty ? 0 : sorted[sorted.count / 2] }
}
