import AssaySchemes
import AssayVendors

extension ReceiptRule {
    /// The oldest receipt that an app may take: Apple keeps what it exchanges them for no longer.
    private static let oldest: Int64 = 30 * 86_400_000

    /// What the section `receipt` says of it, beside the exchange.
    ///
    /// A limit of the risk metric needs both a receipt that is required and its exchange: a device that registers with a receipt that
    /// cannot be exchanged would never have a metric, and so never be above the limit.
    init(reading section: ConfigurationReader.Section) {
        let mode = section.optional("mode")?.choice(["off": Mode.off, "report": .report, "require": .require])
        let age = section.optional("max_age")?.milliseconds(in: 1000...Self.oldest)
        let risk = section.optional("max_risk_metric")
        let rejects = section.optional("high_risk")?.choice(["report": false, "reject": true])
        if mode == .off {
            section.optional("max_age")?.report(
                "the receipt's age is not checked (mode: off); leave it out, or set another mode")
        }
        if risk == nil { section.optional("high_risk")?.report("it says nothing without \"max_risk_metric\"") }
        let (isRequired, isExchanged) = (mode == .require, section.optional("exchange") != nil)
        if !isRequired || !isExchanged {
            let wanted = [isRequired ? nil : "\"mode: require\"", isExchanged ? nil : "\"exchange\""]
            risk?.report(
                "it needs \(wanted.compactMap { $0 }.joined(separator: " and ")): a device whose receipt is not verified and exchanged "
                    + "has no risk metric, and would never be above the limit")
        }
        self.init(
            mode: mode ?? .report, maxAgeMilliseconds: age ?? Self.usualAge,
            maxRiskMetric: risk?.integer(in: 0...999_999_999).map(Int64.init), rejectsHighRisk: rejects ?? false)
    }
}

extension ReceiptExchangeRule {
    /// In milliseconds.
    private static let periods: ClosedRange<Int64> = 86_400_000...ReceiptExchangeRoute.longestPeriod

    init?(reading value: ConfigurationReader.Value, _ teams: AppleTeams) {
        let section = value.section()
        let teamID = teams.teamID(named: section.optional("team"), for: value)
        let period = section.optional("every")?.milliseconds(in: Self.periods)
        section.done()
        guard let teamID else { return nil }
        self.init(teamID: teamID, period: period ?? ReceiptExchangeRoute.usualPeriod)
    }
}
