package import AssayCore
import AssaySchemes

extension RateRules {
    /// Reads `limits.rates`.
    init(reading value: ConfigurationReader.Value?) {
        self.init()
        guard let section = value?.section() else { return }
        caller = section.optional("caller")?.rate()
        defaults = AppRates(
            app: section.optional("app")?.rate(), address: section.optional("address")?.rate(),
            device: section.optional("device")?.rate())
        section.done()
    }
}

/// The rates that an app sets in place of the defaults. `.some(nil)`: not limited, whatever the default is.
package struct AppRateSettings: Hashable, Sendable {
    private var caller: RateRule??
    private var app: RateRule??
    private var address: RateRule??
    private var device: RateRule??

    init() {}

    /// Reads `apps.<app>.rates`.
    init(reading value: ConfigurationReader.Value) {
        let section = value.section()
        caller = section.optional("caller").flatMap { $0.rateOrOff() }
        app = section.optional("app").flatMap { $0.rateOrOff() }
        address = section.optional("address").flatMap { $0.rateOrOff() }
        device = section.optional("device").flatMap { $0.rateOrOff() }
        section.done()
    }

    /// The rates in force.
    package func over(_ defaults: AppRates) -> AppRates {
        AppRates(
            caller: caller ?? defaults.caller, app: app ?? defaults.app, address: address ?? defaults.address,
            device: device ?? defaults.device)
    }
}

extension ConfigurationReader.Value {
    /// `10/h` or `100/h burst 20`.
    fileprivate func rate() -> RateRule? {
        guard let text = text() else { return nil }
        guard let rule = RateRule(text) else {
            report(
                "want a rate such as 10/h or 100/h burst 20: per s, m, h or d, at most 10000 in a second, numbers from 1 to "
                    + "\(RateRule.numberLimit), have \"\(text.prefix(60))\"" + Self.hint(of: text))
            return nil
        }
        return rule
    }

    /// What is probably meant by a text that is no rate, as the end of a sentence.
    private static func hint(of text: String) -> String {
        if text == "off" { return "; leave the key out to limit nothing" }
        let form = /(\d+) ?(?:\/|per)? ?([a-z]*)(?:,? burst:? ?(\d+))?/
        guard let parts = text.lowercased().wholeMatch(of: form) else { return "" }
        guard !parts.2.isEmpty else { return "; the period is missing, as in \(parts.1)/s" }
        let periods: [(RateRule.Period, [Substring])] = [
            (.second, ["s", "sec", "second", "seconds"]), (.minute, ["m", "min", "minute", "minutes"]),
            (.hour, ["h", "hr", "hour", "hours"]), (.day, ["d", "day", "days"]),
        ]
        guard let period = periods.first(where: { $0.1.contains(parts.2) })?.0 else { return "" }
        let meant = "\(parts.1)/\(period.rawValue)" + (parts.3.map { " burst \($0)" } ?? "")
        return RateRule(meant) == nil ? "" : "; did you mean \(meant)?"
    }

    /// A rate; or `off`, which cancels the default.
    fileprivate func rateOrOff() -> RateRule?? { isWord("off") ? .some(nil) : rate().map { .some($0) } }
}

extension LiveConfiguration {
    /// The rates of each app.
    package var appRates: [AppID: AppRates] {
        Dictionary(apps.map { ($0.id, $0.rates.over(rates.defaults)) }, uniquingKeysWith: { first, _ in first })
    }

    /// What is limited, for people: one line a limit.
    var rateSummary: [String] {
        var lines = rates.caller.map { ["limits each caller to \($0) requests over all its apps"] } ?? []
        let byApp = appRates
        for app in apps {
            guard let rates = byApp[app.id] else { continue }
            let parts = [
                rates.caller.map { "\($0) requests of a caller" }, rates.app.map { "\($0) requests" },
                rates.address.map { "\($0) requests from a source address" },
                rates.device.map { "\($0) accepted verdicts of a device" },
            ].compactMap(\.self)
            if !parts.isEmpty { lines.append("\(app.id): allows \(parts.joined(separator: ", "))") }
        }
        return lines
    }
}
