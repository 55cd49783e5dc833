import ArgumentParser
import AssayClient
import Foundation

struct SharedBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shared",
        abstract: "An accepted, durable assertion at one and more daemons on a PostgreSQL database, and at one with a file.",
        discussion: """
            Starts a PostgreSQL server of its own (Debian's package postgresql). Rounds of all arrangements alternate; each sends the same \
            number of uploads, over the same number of connections, which the daemons take in turn.
            """)

    @OptionGroup var options: LoadOptions

    @Option(help: "Assertions in each round.")
    var assertions: Int = 20_000

    @Option(help: "The most daemons on the database: 1, 2, … of them are measured.")
    var daemons: Int = 3

    @Flag(help: "Let a synchronous standby on this machine confirm each commit.")
    var standby = false

    func validate() throws {
        guard (1...8).contains(daemons) else { throw ValidationError("--daemons takes 1 to 8.") }
        try options.requireNoCounter()
    }

    func run() async throws {
        Interruption.exits()
        let database = try LedgerDatabase(standby: standby)
        defer { database.remove() }
        let alone = try DaemonProcess(executable: options.daemon)
        defer { alone.stop() }
        let sharing = try await database.start(daemons, executable: options.daemon)
        defer { for daemon in sharing { daemon.stop() } }

        let connections = connections
        let devices = connections * options.inFlight
        let ownLoad = try await AssertionLoad.prepare(alone, devices: devices, connections: connections)
        let load = try await AssertionLoad.prepare(sharing[0], devices: devices, connections: connections)
        func traffic(_ some: ArraySlice<DaemonProcess>) -> Traffic {
            Traffic(to: some.map(\.address), connections: connections, inFlight: options.inFlight)
        }
        var arrangements = [
            Arrangement(title: "SQLite, 1 daemon", load: ownLoad, traffic: traffic([alone])) { [try alone.cpuSeconds()] }
        ]
        for count in 1...daemons {
            let some = sharing.prefix(count)
            arrangements.append(
                Arrangement(title: "PostgreSQL, \(count) daemon\(count == 1 ? "" : "s")", load: load, traffic: traffic(some)) {
                    [try some.reduce(0) { $0 + (try $1.cpuSeconds()) }] + (try database.cpuSeconds())
                })
        }
        try await report(idle: sharing, database)
        try await measure(&arrangements, perDevice: max(1, assertions / devices))
        summarize(arrangements)
        print(
            "machine: \(ProcessInfo.processInfo.activeProcessorCount) processors, all busy with daemons, database, load and the unit; "
                + "\(connections) connections, bursts of \(options.inFlight); \(options.rounds) rounds of "
                + "\(devices * max(1, assertions / devices)) assertions each")
        for client in ownLoad.clients + load.clients { await client.close() }
    }

    /// The next number that each number of daemons divides, so that each of them gets as many.
    private var connections: Int {
        var connections = options.connections
        while !(1...daemons).allSatisfy({ connections.isMultiple(of: $0) }) { connections += 1 }
        return connections
    }

    private func report(idle daemons: [DaemonProcess], _ database: LedgerDatabase) async throws {
        func processors() throws -> [Double] {
            [try daemons.reduce(0) { $0 + (try $1.cpuSeconds()) }, try database.cpuSeconds().reduce(0, +)]
        }
        let before = try processors()
        let start = ContinuousClock.now
        try await Task.sleep(for: .seconds(3))
        let seconds = start.duration(to: .now) / .seconds(1)
        let shares = zip(try processors(), before).map { ($0 - $1) / seconds * 100 }
        say(
            "without load, \(daemons.count) daemons on the database take \(shares[0].text(1)) % of a processor, and the database "
                + "\(shares[1].text(1)) %")
    }

    private func measure(_ arrangements: inout [Arrangement], perDevice: Int) async throws {
        let unit = try RawOperation.verification()
        say("one raw P-256 verification on an idle machine: \(unit.microseconds().text(1)) µs of CPU")
        print(
            "round  arrangement            raw verification  CPU per assertion: daemons, database  ratios  assertions per second"
        )
        for round in 1...options.rounds {
            // Each begins a round in its turn, so that none always follows the same one.
            for offset in arrangements.indices {
                let index = (round + offset) % arrangements.count
                let cost = try await arrangements[index].measure(perDevice, unit)
                let title = arrangements[index].title.padding(toLength: 22, withPad: " ", startingAt: 0)
                say(
                    "\(round)      \(title) \(cost.raw.text(1)) µs           "
                        + "\(cost.each.map { $0.text(1) + " µs" }.joined(separator: ", "))  "
                        + "\(cost.ratios.map { $0.text(2) }.joined(separator: " + "))  \(cost.perSecond.text(0))")
            }
        }
    }

    private func summarize(_ arrangements: [Arrangement]) {
        let standbyTitle = standby ? " standby |" : ""
        print("\nCPU per assertion in raw verifications of the same round, median (lowest–highest):\n")
        print("| ledger | daemons | database |\(standbyTitle) together | assertions per second | burst p50 | p99 |")
        print("|---|---|---|\(standby ? "---|" : "")---|---|---|---|")
        for arrangement in arrangements {
            let costs = arrangement.costs
            var cells = (0..<(standby ? 3 : 2)).map { part in
                arrangement.parts > part ? costs.text(2) { $0.ratios[part] } : "–"
            }
            cells += [costs.text(2) { $0.ratios.reduce(0, +) }, costs.text(0, \.perSecond)]
            cells += [0.5, 0.99].map { costs.burst($0).text(1) + " ms" }
            print("| \(arrangement.title) | \(cells.joined(separator: " | ")) |")
        }
        print("")
    }
}
