import AssayClient
import AssayCore
import Foundation

/// A ledger that grows, and what is measured on the way.
struct GrowthRun {
    let database: LedgerDatabase
    let daemon: DaemonProcess
    /// Rounds at each number of devices.
    let rounds: Int
    let phones: ImportedPhones
    let traffic: Traffic
    private let unit: RawOperation

    init(database: LedgerDatabase, daemon: DaemonProcess, rounds: Int, phones: ImportedPhones, traffic: Traffic) throws {
        (self.database, self.daemon, self.rounds) = (database, daemon, rounds)
        (self.phones, self.traffic) = (phones, traffic)
        unit = try .verification()
    }

    /// CPU time so far in seconds: of the daemon, then of the database.
    private func processors() throws -> [Double] { [try daemon.cpuSeconds()] + (try database.cpuSeconds()) }

    func sizes() throws -> TableSizes { try TableSizes(of: database) }

    /// The mean length of a device's claims.
    func claimBytes() throws -> Double {
        try database.rows("SELECT avg(octet_length(claims)) FROM devices").first?.first.flatMap { Double($0) } ?? 0
    }

    // MARK: Devices

    /// Registers devices until there are so many, and prints how fast.
    func fill(to end: Int) async throws {
        while phones.count < end {
            let first = phones.count
            let before = try processors()
            let start = ContinuousClock.now
            try await phones.grow(to: min(first + 50_000, end))
            let seconds = start.duration(to: .now) / .seconds(1)
            let added = Double(phones.count - first)
            let each = zip(try processors(), before).map { (($0 - $1) / added * 1e6).text(0) }
            say(
                "\(phones.count) devices; \((added / seconds).text(0)) imported per second, with \(each[0]) µs of the daemon's CPU and "
                    + "\(each[1]) µs of the database's for each")
        }
    }

    /// What an assertion cost at a number of devices.
    struct Step {
        let devices: Int
        let costs: RoundCosts
        /// Share of the updates of counters that stayed on their page.
        let hot: Double

        var line: String {
            let cells = [
                "\(devices)", costs.text(2) { $0.ratios[0] }, costs.text(2) { $0.ratios[1] }, costs.text(0, \.perSecond),
                costs.burst(0.5).text(1) + " ms", costs.burst(0.99).text(1) + " ms", (hot * 100).text(1) + " %",
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
    }

    /// Measures assertions of devices that are drawn from all.
    func measure() async throws -> Step {
        let before = try database.counterUpdates()
        var costs = RoundCosts()
        for _ in 1...rounds { costs.append(try await round()) }
        // Processes of the server report a second after their last report.
        try await Task.sleep(for: .seconds(2))
        let after = try database.counterUpdates()
        return Step(
            devices: phones.count, costs: costs, hot: (after.hot - before.hot) / max(1, after.all - before.all))
    }

    private func round() async throws -> RoundCost {
        let cost = try await RoundCost.measure(phones, phones.perPhone, over: traffic, unit: unit, processors)
        say(
            "\(phones.count) devices; raw verification \(cost.raw.text(1)) µs; CPU per assertion: daemon \(cost.each[0].text(1)) µs, "
                + "database \(cost.each[1].text(1)) µs; ratios \(cost.ratios.map { $0.text(2) }.joined(separator: " + ")); "
                + "\(cost.perSecond.text(0)) assertions per second")
        return cost
    }

    /// Registers phones by an attestation; returns what one adds to the table of devices. Only the heap is exact: an index that is filled
    /// evenly grows by jumps.
    func register(_ attested: Int) async throws -> TableSizes.Table {
        let before = try sizes()["devices"]
        _ = try await Phones.register(attested, with: daemon, over: phones.clients[0])
        return (try sizes()["devices"] - before) / Double(attested)
    }

    // MARK: Verdicts

    /// What a verdict adds to the ledger.
    struct Verdict {
        let audit: TableSizes.Table
        let spent: TableSizes.Table
        /// Bytes, right after a checkpoint: the first change of each page is written with the whole page.
        let firstWAL: Double
        /// Bytes, in the last round.
        let lastWAL: Double

        var lines: [String] {
            [
                "| a verdict: audit log | \(audit.heap.bytes) | \(audit.indexes.bytes) |",
                "| a spent challenge, until its ten minutes have passed | \(spent.heap.bytes) | \(spent.indexes.bytes) |",
                "| WAL for each verdict | \(lastWAL.bytes), \(firstWAL.bytes) right after a checkpoint | |",
            ]
        }
    }

    /// Lets about so many verdicts be made, and returns what one of them takes.
    func accept(_ verdicts: Int) async throws -> Verdict {
        try database.checkpoint()
        let before = try sizes()
        var wal: [Double] = []
        var count = 0.0
        while count < Double(verdicts) {
            let start = (wal: try database.walBytes(), rows: try sizes()["spent"].rows)
            _ = try await round()
            let added = try sizes()["spent"].rows - start.rows
            wal.append((try database.walBytes() - start.wal) / added)
            count += added
        }
        let after = try sizes()
        return Verdict(
            audit: (after["audit"] - before["audit"]) / count, spent: (after["spent"] - before["spent"]) / count,
            firstWAL: wal.first ?? 0, lastWAL: wal.last ?? 0)
    }
}
