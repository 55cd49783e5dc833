import ArgumentParser
import AssayClient
import Foundation

/// How a load is sent, for all benchmarks.
struct LoadOptions: ParsableArguments {
    @Option(help: "The assayd to measure, a release build.")
    var daemon: String

    @Option(help: "Rounds; the median is the result.")
    var rounds: Int = 9

    @Option(help: "Connections.")
    var connections: Int = 4

    @Option(help: "Requests in flight on each connection.")
    var inFlight: Int = 128

    @Option(
        name: .customLong("count-allocations"),
        help: ArgumentHelp(
            "Count the daemon's heap allocations instead, by the library made of allocation-counter.c.", valueName: "library"))
    var counter: String?

    func validate() throws {
        guard rounds > 0, connections > 0, inFlight > 0 else { throw ValidationError("All counts are positive.") }
        if let counter, !FileManager.default.fileExists(atPath: counter) {
            throw ValidationError("There is no \(counter). `make bench-allocations` makes it; Benchmarks/README.md says how.")
        }
    }

    var devices: Int { connections * inFlight }

    /// For benchmarks that measure CPU only.
    func requireNoCounter() throws {
        guard counter == nil else { throw ValidationError("--count-allocations is for the commands that measure one daemon.") }
    }
}

/// The daemon's CPU for each request of a load, in raw operations of the same run; or its heap allocations.
struct Measurement {
    let options: LoadOptions
    /// What one request is, for people.
    let noun: String
    /// Requests in each round.
    let count: Int
    let unit: RawOperation
    /// The bound of the ratio; `nil`: there is none.
    let below: Double?

    func run(_ process: DaemonProcess, _ load: some Load) async throws {
        let traffic = Traffic(to: [process.address], connections: options.connections, inFlight: options.inFlight)
        if options.counter == nil {
            try await measureProcessor(process, load, traffic)
        } else {
            try await countAllocations(process, load, traffic)
        }
        for client in load.clients { await client.close() }
    }

    /// How many requests each device makes in a round.
    private var perDevice: Int { max(1, count / options.devices) }

    private func measureProcessor(_ process: DaemonProcess, _ load: some Load, _ traffic: Traffic) async throws {
        let rounds = options.rounds
        print("one raw P-256 \(unit.name) on an idle machine: \(unit.microseconds().text(1)) µs of CPU")
        print("round  raw \(unit.name)  daemon CPU per \(noun)  ratio  \(noun)s per second")
        var ratios: [Double] = []
        for round in 1...rounds {
            let cost = try await RoundCost.measure(load, perDevice, over: traffic, unit: unit) { [try process.cpuSeconds()] }
            ratios.append(cost.ratios[0])
            print(
                "\(round)      \(cost.raw.text(1)) µs           \(cost.each[0].text(1)) µs                   "
                    + "\(cost.ratios[0].text(2))   \(cost.perSecond.text(0))")
        }
        let median = ratios.sorted()[ratios.count / 2]
        print("ratio \(median.text(2)) (median of \(rounds), \((ratios.min() ?? 0).text(2)) to \((ratios.max() ?? 0).text(2)))")
        print(
            "machine: \(ProcessInfo.processInfo.activeProcessorCount) processors, all busy; \(options.connections) connections, "
                + "bursts of \(options.inFlight)")
        if let below, median >= below {
            print("the ratio is not below \(below)")
            throw ExitCode(1)
        }
    }

    /// The first round is not counted: caches, tables and threads come into being in it.
    private func countAllocations(_ process: DaemonProcess, _ load: some Load, _ traffic: Traffic) async throws {
        print("round  allocations per \(noun)  reallocations  bytes")
        var allocations: [Double] = []
        for round in 0...options.rounds {
            let bursts = try await load.bursts(perDevice, over: traffic)
            let before = try process.allocations()
            let accepted = try load.accepted(try traffic.send(bursts).replies, by: traffic.front)
            let each = try process.allocations().since(before, per: accepted)
            guard each.allocations > 0 else {
                throw ValidationError(
                    "Nothing was counted: \(options.daemon) does not take its memory from the system's C library.")
            }
            let numbers =
                "\(each.allocations.text(2))                    \(each.reallocations.text(2))           \(each.bytes.text(0))"
            print(round == 0 ? "first  \(numbers)   (not counted)" : "\(round)      \(numbers)")
            if round > 0 { allocations.append(each.allocations) }
        }
        let range = "\((allocations.min() ?? 0).text(2)) to \((allocations.max() ?? 0).text(2))"
        print("allocations \(allocations.sorted()[allocations.count / 2].text(2)) (median of \(options.rounds), \(range))")
        print("\(options.connections) connections, bursts of \(options.inFlight), \(perDevice) of them in each round")
    }
}

/// Prints a line at once, also to a file.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

extension Double {
    func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
