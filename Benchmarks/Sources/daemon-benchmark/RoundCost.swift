import Foundation

/// What one round of a load cost.
struct RoundCost {
    /// CPU of one raw operation while the load ran, in µs.
    let raw: Double
    /// CPU of each measured part for each request, in µs.
    let each: [Double]
    /// Requests that were answered as wanted, in a second.
    let perSecond: Double
    let bursts: [Duration]

    /// CPU of each part for each request, in raw operations.
    var ratios: [Double] { each.map { $0 / raw } }

    /// Makes the requests of a round, and sends them while the unit is measured.
    ///
    /// - Parameters:
    ///   - count: requests of each device.
    ///   - processors: CPU time of each part so far, in seconds.
    static func measure(
        _ load: some Load, _ count: Int, over traffic: Traffic, unit: RawOperation, _ processors: () throws -> [Double]
    ) async throws -> RoundCost {
        let bursts = try await load.bursts(count, over: traffic)
        let before = try processors()
        let start = ContinuousClock.now
        let (raw, answers) = try unit.microseconds { try traffic.send(bursts) }
        let elapsed = start.duration(to: .now) / .seconds(1)
        let spent = zip(try processors(), before).map { $0 - $1 }
        let accepted = Double(try load.accepted(answers.replies, by: traffic.front))
        return RoundCost(
            raw: raw, each: spent.map { $0 / accepted * 1e6 }, perSecond: accepted / elapsed, bursts: answers.bursts)
    }
}

/// Several rounds of the same load.
struct RoundCosts {
    private(set) var rounds: [RoundCost] = []

    mutating func append(_ round: RoundCost) { rounds.append(round) }

    /// Median and range of a figure, with so many digits.
    func text(_ digits: Int, _ figure: (RoundCost) -> Double) -> String {
        let values = rounds.map(figure).sorted()
        guard let first = values.first, let last = values.last else { return "–" }
        return "\(values[values.count / 2].text(digits)) (\(first.text(digits))–\(last.text(digits)))"
    }

    /// The time within which this share of all bursts was answered, in ms.
    func burst(_ share: Double) -> Double {
        let times = rounds.flatMap(\.bursts).sorted()
        guard !times.isEmpty else { return 0 }
        return times[min(times.count - 1, Int(Double(times.count) * share))] / .milliseconds(1)
    }
}
