import AssayAPI
import AssayCore
import AssayMetrics

/// A subject of the metrics that stand in the daemon's status: it is read once for a scrape, and nothing is counted a second time.
protocol StatusSubject: Sendable, SendableMetatype {
    static var families: [MetricFamily] { get }
    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition)
}

/// Every subject, in the order of the page.
enum StatusSubjects {
    static let all: [any StatusSubject.Type] = [
        AttentionMetrics.self, ConfigurationMetrics.self, StoreMetrics.self, FeedMetrics.self, ReceiptMetrics.self,
        CertificateMetrics.self, AuthorityMetrics.self, ResultKeyMetrics.self, PluginStatusMetrics.self,
    ]
}

extension Exposition {
    /// One series for each state, 1 for the present one.
    mutating func add<State: Equatable>(
        _ family: MetricFamily, _ label: String, _ states: [(String, State)], now present: State
    ) {
        for (name, state) in states { add(family, [label, name], isTrue: state == present) }
    }

    /// A time in seconds since 1970; nothing for 0, which stands for none.
    mutating func add(_ family: MetricFamily, _ labels: [String] = [], unixMilliseconds: Int64) {
        if unixMilliseconds != 0 { add(family, labels, number: Double(unixMilliseconds) / 1000) }
    }
}
