import ArgumentParser
import AssayClient
import Foundation

struct GrowthBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "A ledger in a PostgreSQL database that grows to a million devices: cost of an assertion, and sizes.",
        discussion: """
            Starts a PostgreSQL server of its own (Debian's package postgresql), and registers devices by import. At 10,000, 100,000, … \
            devices it measures assertions of devices that are drawn from all.
            """)

    @OptionGroup var options: GrowthOptions

    @Option(help: "Verdicts at the end, whose bytes are measured.")
    var verdicts: Int = 200_000

    @Option(help: "Devices at the end that register by an attestation, whose bytes are measured.")
    var attested: Int = 1_000

    func validate() throws {
        guard verdicts >= 2 * options.assertions, attested > 0 else {
            throw ValidationError("All counts are positive, and --verdicts is at least twice --assertions.")
        }
    }

    func run() async throws {
        Interruption.exits()
        let database = try LedgerDatabase()
        defer { database.remove() }
        let daemon = try await database.start(
            1, executable: options.load.daemon, DaemonConfiguration(acceptsImported: true))[0]
        defer { daemon.stop() }
        let growth = try GrowthRun(
            database: database, daemon: daemon, rounds: options.load.rounds,
            phones: try await ImportedPhones(daemon, assertions: options.assertions, connections: options.load.connections),
            traffic: Traffic(to: [daemon.address], connections: options.load.connections, inFlight: options.load.inFlight))
        var steps: [GrowthRun.Step] = []
        for end in Checkpoints.upTo(options.devices ?? 1_000_000) {
            try await growth.fill(to: end)
            steps.append(try await growth.measure())
        }
        let (filled, claims) = (try growth.sizes(), try growth.claimBytes())
        let record = try await growth.register(attested)
        let verdict = try await growth.accept(verdicts)
        let sizes = try growth.sizes()
        for client in growth.phones.clients { await client.close() }

        print("\nCPU per assertion in raw verifications of the same round, median (lowest–highest):\n")
        print("| devices | daemon | database | assertions per second | burst p50 | p99 | counters rewritten in place (HOT) |")
        print("|---|---|---|---|---|---|---|")
        for step in steps { print(step.line) }
        print("\nThe tables at the end:\n\n| table | rows | heap | indexes |\n|---|---|---|---|")
        for line in sizes.lines { print(line) }
        print("\nFor docs/operate/shared-ledger.md, \"Sizes\":\n\n| | heap | indexes |\n|---|---|---|")
        for (name, title) in [
            ("devices", "records (claims of \(claims.text(0)) bytes)"), ("counters", "counters"), ("device_keys", "keys"),
        ] {
            let table = filled[name]
            print("| \(table.rows.text(0)) imported devices: \(title) | \(table.heap.bytes) | \(table.indexes.bytes) |")
        }
        print("| the record of a device that registers by an attestation | \(record.heap.bytes) | |")
        for line in verdict.lines { print(line) }
        print(
            "\nmachine: \(ProcessInfo.processInfo.activeProcessorCount) processors, all busy with daemon, database, load and the unit; "
                + "\(options.load.connections) connections, bursts of \(options.load.inFlight); \(options.load.rounds) rounds of about \(options.assertions) assertions"
        )
    }
}
