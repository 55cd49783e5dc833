import ArgumentParser
import AssayClient
import Foundation

struct CountsBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counts",
        abstract: "Instructions and allocations of each hot operation, against those that are kept.",
        discussion: """
            Runs the daemon under Valgrind's Callgrind (Debian's packages valgrind and binutils), whose counts hardly depend on the machine or its \
            load. Of each row of the table it counts the same number of requests several times, and takes the median. Exit status 1 if a count differs \
            from the kept one by more than the tolerance, in either direction.
            """)

    @Option(help: "The assayd to count, a release build.")
    var daemon: String

    @Option(help: "The file of the kept counts, one for each toolchain.")
    var counts: String

    @Flag(help: "Write the counts to the file, instead of comparing.")
    var update = false

    @Option(
        name: .customLong("row"),
        help: "A row of the table, by its name; may be given several times. Default: all that are counted.")
    var names: [String] = []

    @Option(help: "How far a count may be from the kept one, in per cent.")
    var tolerance: Double = 2

    @Option(help: "Keep the profile of each row in this folder, as ROW.callgrind: callgrind_annotate shows the functions.")
    var profiles: String?

    func validate() throws {
        guard tolerance > 0 else { throw ValidationError("--tolerance is positive.") }
        let known = Self.counted.map(\.id)
        if let name = names.first(where: { !known.contains($0) }) {
            throw ValidationError("No row \(name) is counted. Rows: \(known.joined(separator: ", ")).")
        }
        guard update || FileManager.default.fileExists(atPath: counts) else {
            throw ValidationError("There are no counts in \(counts). --update writes them.")
        }
    }

    private static let counted = TableRows.all.filter { $0.counted > 0 }
    /// Rounds of a row. What happens seldom, such as a new table of spent challenges every ten minutes, is in one of them at most.
    private static let rounds = 3

    func run() async throws {
        Interruption.exits()
        if let profiles { try FileManager.default.createDirectory(atPath: profiles, withIntermediateDirectories: true) }
        let callgrind = try Callgrind()
        defer { callgrind.remove() }
        let stage = TableStage(executable: try callgrind.prepared(daemon), under: callgrind.wrapper)
        defer { stage.stop() }
        var found = OperationCounts(valgrind: try Callgrind.version())
        print("operation                 instructions  allocations")
        for row in Self.counted where names.isEmpty || names.contains(row.id) {
            let counts = try await count(row, in: stage, by: callgrind)
            found.operations[row.id] = counts
            let name = row.id.padding(toLength: 24, withPad: " ", startingAt: 0)
            let instructions = counts.instructions.text(0)
            say(
                "\(name)  \(String(repeating: " ", count: max(0, 12 - instructions.count)) + instructions)  \(counts.allocations.text(1))"
            )
        }
        try finish(found)
    }

    private func finish(_ found: OperationCounts) throws {
        let kept = FileManager.default.fileExists(atPath: counts) ? try OperationCounts(contentsOf: counts) : nil
        if update {
            // Rows that were not asked for keep their counts.
            var all = found
            all.operations.merge(kept?.operations ?? [:]) { new, _ in new }
            try all.write(to: counts)
            print("\nwritten to \(counts)")
            return
        }
        guard let kept else { throw CocoaError(.fileReadNoSuchFile) }
        if kept.valgrind != found.valgrind {
            print("\nthe kept counts are of \(kept.valgrind), these of \(found.valgrind): they may differ by it")
        }
        let differences = found.differences(from: kept, tolerance: tolerance / 100)
        guard differences.isEmpty else {
            print(
                "\n\(differences.joined(separator: "\n"))\nmore than \(tolerance.text(1)) % from \(counts); --update takes them over"
            )
            throw ExitCode(1)
        }
        print("\nall within \(tolerance.text(1)) % of \(counts)")
    }

    /// Bursts of 16 on one connection, so that what is shared in a burst is shared in the same way each time. The connection is never a new one while
    /// it is counted: the daemon learns how much to read at once, and takes the first bursts apart.
    private func count(
        _ row: any TableRow, in stage: TableStage, by callgrind: Callgrind
    ) async throws -> OperationCounts.Counts {
        let sending = Sending(connections: 1, inFlight: 16, requests: row.counted)
        let subject = try await row.prepare(in: stage, sending)
        let traffic = sending.traffic(to: subject.daemon)
        // The first requests fill caches and start threads.
        let first = try await subject.load.bursts(sending.perDevice, over: traffic)
        var rounds: [(opening: [Traffic.Bursts], counted: [Traffic.Bursts])] = []
        for _ in 0..<Self.rounds {
            rounds.append(
                (
                    try await subject.load.bursts(1, over: traffic),
                    try await subject.load.bursts(sending.perDevice, over: traffic)
                ))
        }
        let connection = try traffic.front.connect(to: subject.daemon.address)
        func send(_ bursts: [Traffic.Bursts]) throws -> Int {
            let replies = try bursts.joined().flatMap { try connection.exchange($0.bytes, calls: $0.requests) }
            return try subject.load.accepted(replies, by: traffic.front)
        }
        _ = try send(first)
        let counts = try callgrind.counting(subject.daemon) {
            try rounds.map { opening, counted in
                // Takes what became available in the pause, such as explanations of bad signatures, which are limited in time.
                _ = try send(opening)
                try callgrind.reset(subject.daemon)
                let requests = try send(counted)
                return (dump: try callgrind.dump(of: subject.daemon), requests: Double(requests))
            }
        }.map { dump, requests in
            let file = profiles.map { URL(fileURLWithPath: $0).appending(path: row.id + ".callgrind") }
            let profile = try callgrind.profile(dump, keeping: file)
            return OperationCounts.Counts(
                instructions: profile.instructions / requests, allocations: profile.allocations / requests)
        }
        for client in subject.load.clients { await client.close() }
        func median(_ values: [Double]) -> Double { values.sorted()[Self.rounds / 2] }
        return OperationCounts.Counts(
            instructions: median(counts.map(\.instructions)), allocations: median(counts.map(\.allocations)))
    }
}
