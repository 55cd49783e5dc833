import ArgumentParser
import AssayClient
import Foundation

struct TableBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Every hot operation of the daemon, each against the raw operations in it, in one table.",
        discussion: """
            Each round measures each row once: CPU of the daemon, and of the database, for each request that was answered as wanted, divided by the CPU \
            of the raw operations that it cannot do without, which are performed in the same seconds. Rows on PostgreSQL start a server of their own \
            (Debian's package postgresql), and are left out where there is none. At the end it measures the memory of \
            \(IdleConnections.wanted) idle connections.
            """)

    @Option(help: "The assayd to measure, a release build.")
    var daemon: String

    @Option(help: "Rounds; the median is the result. Default: 7, with --quick 3.")
    var rounds: Int?

    @Flag(help: "Fewer rounds with a quarter of the requests: about two minutes.")
    var quick = false

    @Option(
        name: .customLong("row"),
        help: "A row, by its name; may be given several times. Default: all, and the idle connections.")
    var names: [String] = []

    @Option(help: "Write the figures of every round to this file, as JSON.")
    var json: String?

    @Flag(help: "Exit status 1 unless every bar is held.")
    var check = false

    func validate() throws {
        guard rounds ?? 1 > 0 else { throw ValidationError("--rounds is positive.") }
        let known = TableRows.all.map(\.id)
        if let name = names.first(where: { !known.contains($0) }) {
            throw ValidationError("There is no row \(name). Rows: \(known.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        Interruption.exits()
        let stage = TableStage(executable: daemon)
        defer { stage.stop() }
        let count = rounds ?? (quick ? 3 : 7)
        var runs: [RowRun] = []
        let rows = selected
        for (number, row) in rows.enumerated() {
            say("prepare \(number + 1) of \(rows.count): \(row.title)")
            runs.append(try await RowRun(row, in: stage, isQuick: quick))
        }
        for round in 1...count {
            // Each begins a round in its turn, so that none always follows the same one.
            for offset in runs.indices {
                let index = (round + offset) % runs.count
                say("round \(round) of \(count): \(try await runs[index].measure())")
            }
        }
        for run in runs { await run.close() }
        stage.stop()
        let idle = names.isEmpty ? try IdleConnections.measure(executable: daemon) : nil
        try report(TableResult(rounds: count, isQuick: quick, rows: runs.map(\.result), idle: idle))
    }

    private var selected: [any TableRow] {
        let rows = TableRows.all.filter { names.isEmpty || names.contains($0.id) }
        guard LedgerDatabase.isAvailable || !names.isEmpty else {
            say("there is no PostgreSQL server here (initdb): rows on PostgreSQL are left out")
            return rows.filter { !$0.needsDatabase }
        }
        return rows
    }

    private func report(_ result: TableResult) throws {
        print(
            "\nCPU for each request; ratio: in raw operations of the same round, median (lowest–highest) of \(result.rounds).\n"
        )
        print(TableText(result).text)
        if let idle = result.idle { print("\n\(idle.text)") }
        let machine = result.machine
        print(
            "\nmachine: \(machine.processor), \(machine.processors) processors, all busy; \(machine.system), Linux \(machine.kernel)"
        )
        if let json { try result.write(to: json) }
        guard check else { return }
        let isHeld = result.rows.allSatisfy { row in row.bars.allSatisfy { $0.isHeld(by: row, in: result.rows) != false } }
        guard isHeld, result.idle?.isHeld != false else {
            print("not every bar is held")
            throw ExitCode(1)
        }
    }
}

/// A row while it is measured.
struct RowRun {
    private let row: any TableRow
    private let sending: Sending
    private let subject: RowSubject
    private let unit: RawOperation
    private var costs = RoundCosts()

    init(_ row: any TableRow, in stage: TableStage, isQuick: Bool) async throws {
        (self.row, sending) = (row, isQuick ? row.sending.quick : row.sending)
        (subject, unit) = (try await row.prepare(in: stage, sending), try row.raw.make())
    }

    /// Runs a round.
    ///
    /// - Returns: its figures, for people.
    mutating func measure() async throws -> String {
        let cost = try await RoundCost.measure(
            subject.load, sending.perDevice, over: sending.traffic(to: subject.daemon), unit: unit,
            subject.processors)
        costs.append(cost)
        let ratios = cost.ratios.map { $0.text(2) }.joined(separator: " + ")
        return "\(row.title): \(cost.each.map { $0.text(1) }.joined(separator: " + ")) µs, \(ratios) × \(row.raw.title) of "
            + "\(cost.raw.text(1)) µs, \(cost.perSecond.text(0)) per second"
    }

    var result: RowResult {
        var result = RowResult(row, sending)
        result.take(costs)
        return result
    }

    func close() async { for client in subject.load.clients { await client.close() } }
}
