import Foundation

/// What a run of the table measured, as `--json` writes it and `dev/write-performance-page.py` reads it.
struct TableResult: Codable {
    var machine = Machine()
    let rounds: Int
    let isQuick: Bool
    var rows: [RowResult]
    var idle: IdleConnections.Result?

    func write(to file: String) throws { try JSONResults.write(self, to: file) }
}

/// A row's figures of all rounds.
struct RowResult: Codable {
    /// What one round cost for each request, in µs of CPU.
    struct Round: Codable {
        /// Of the raw operations of a request.
        let raw: Double
        /// Of the daemon, then of the database, if there is one.
        let parts: [Double]
        /// Requests that were answered in a second.
        let perSecond: Double
    }

    let id: String
    let title: String
    let raw: String
    let bars: [Bar]
    let connections: Int
    let inFlight: Int
    /// In each round.
    let requests: Int
    private(set) var rounds: [Round] = []
    /// The time within which half, and 99 of 100, of all bursts were answered, in ms.
    private(set) var p50 = 0.0
    private(set) var p99 = 0.0

    init(_ row: any TableRow, _ sending: Sending) {
        (id, title, raw, bars) = (row.id, row.title, row.raw.title, row.bars)
        (connections, inFlight) = (sending.connections, sending.inFlight)
        requests = sending.devices * sending.perDevice
    }

    mutating func take(_ costs: RoundCosts) {
        rounds = costs.rounds.map { Round(raw: $0.raw, parts: $0.each, perSecond: $0.perSecond) }
        (p50, p99) = (costs.burst(0.5), costs.burst(0.99))
    }

    /// CPU of a part for each request, in µs.
    func microseconds(_ part: Bar.Part) -> Spread { Spread(rounds.compactMap { $0.microseconds(part) }) }

    /// The same in raw operations of the same round.
    func ratio(_ part: Bar.Part) -> Spread {
        Spread(rounds.compactMap { round in round.microseconds(part).map { $0 / round.raw } })
    }

    var rawMicroseconds: Spread { Spread(rounds.map(\.raw)) }
}

extension RowResult.Round {
    /// `nil` if there is no such part.
    func microseconds(_ part: Bar.Part) -> Double? {
        switch part {
        case .daemon: parts.first
        case .database: parts.dropFirst().first
        case .together: parts.reduce(0, +)
        }
    }
}

extension Bar {
    /// Whether a row is within the bar; `nil` if that cannot be said.
    func isHeld(by row: RowResult, in all: [RowResult]) -> Bool? {
        guard !row.rounds.isEmpty else { return nil }
        switch limit {
        case .raw(let ratio): return row.ratio(part).median <= ratio
        case .microseconds(let time): return row.microseconds(part).median <= time
        case .row(let id):
            guard let other = all.first(where: { $0.id == id }), !other.rounds.isEmpty else { return nil }
            return row.microseconds(part).median < other.microseconds(part).median
        }
    }
}

/// Median and range of a figure.
struct Spread: Codable {
    let median: Double
    let low: Double
    let high: Double

    /// Zeros if there are no values.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        (low, high) = (sorted.first ?? 0, sorted.last ?? 0)
    }

    func text(_ digits: Int) -> String {
        "\(median.text(digits)) (\(low.text(digits))–\(high.text(digits)))"
    }
}

/// The machine of a run.
struct Machine: Codable {
    var date = Date()
    var processor = Machine.value(of: "model name", in: "/proc/cpuinfo")
    var processors = ProcessInfo.processInfo.activeProcessorCount
    var memoryBytes = ProcessInfo.processInfo.physicalMemory
    var system = ProcessInfo.processInfo.operatingSystemVersionString
    var kernel = Machine.text(of: "/proc/sys/kernel/osrelease")

    private static func text(of file: String) -> String {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The first value of a key in a file of lines such as `key : value`.
    private static func value(of key: String, in file: String) -> String {
        let line = text(of: file).split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces) ?? ""
    }
}
