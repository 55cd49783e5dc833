/// Daemons with a ledger, the load on them, and what it cost so far.
struct Arrangement {
    /// For people.
    let title: String
    let load: AssertionLoad
    let traffic: Traffic
    /// CPU time so far in seconds: of the daemons together, then of each server of the ledger.
    let processors: () throws -> [Double]
    private(set) var costs = RoundCosts()

    init(title: String, load: AssertionLoad, traffic: Traffic, _ processors: @escaping () throws -> [Double]) {
        (self.title, self.load, self.traffic, self.processors) = (title, load, traffic, processors)
    }

    /// The number of parts whose CPU is measured.
    var parts: Int { costs.rounds.first?.each.count ?? 0 }

    /// Runs a round.
    mutating func measure(_ perDevice: Int, _ unit: RawOperation) async throws -> RoundCost {
        let cost = try await RoundCost.measure(load, perDevice, over: traffic, unit: unit, processors)
        costs.append(cost)
        return cost
    }
}
