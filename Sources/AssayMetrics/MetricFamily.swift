/// A family of metrics: its name, what it measures, and the names of its labels.
///
/// Names follow Prometheus: base units (seconds, bytes), the unit at the end. `name` is without `_total` and `_info`, which the text
/// formats add.
package struct MetricFamily: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Only rises; starts at zero with the process.
        case counter
        case gauge
        case histogram
        /// Always 1; the labels carry what it says.
        case info
    }

    package enum Unit: String, Hashable, Sendable {
        case seconds
        case bytes
    }

    package let name: String
    package let kind: Kind
    package let unit: Unit?
    /// The names of the labels, in the order in which series give their values. `le` is added to histograms by the text formats.
    package let labels: [String]
    /// One sentence without a line break.
    package let help: String

    /// - Parameter name: without `_total` and `_info`. A family with a unit ends with it.
    package init(_ name: String, _ kind: Kind, unit: Unit? = nil, labels: [String] = [], _ help: String) {
        (self.name, self.kind, self.unit, self.labels, self.help) = (name, kind, unit, labels, help)
    }

    /// The name as a query has it: that of a counter ends with `_total`, that of an info with `_info`.
    package var queryName: String {
        switch kind {
        case .counter: name + "_total"
        case .info: name + "_info"
        case .gauge, .histogram: name
        }
    }

    /// What is wrong with the declaration; `nil`: nothing. A test asks it of all families.
    package var problem: String? {
        guard MetricName.isGood(name) else { return "\(name) is no name of a metric" }
        for label in labels where !MetricName.isGoodLabel(label) || label == "le" { return "\(label) is no name of a label" }
        guard Set(labels).count == labels.count else { return "\(name) has a label twice" }
        for suffix in ["_total", "_info", "_sum", "_count", "_bucket", "_created"] where name.hasSuffix(suffix) {
            return "\(name) ends with \(suffix), which the text formats add"
        }
        if let unit, !name.hasSuffix("_" + unit.rawValue) { return "\(name) does not end with its unit" }
        guard help.hasSuffix("."), !help.contains(where: \.isNewline) else { return "\(name) has no sentence" }
        return nil
    }
}

extension MetricFamily {
    /// Each cache adds its own series.
    package static let cacheLookUps = MetricFamily(
        "assay_cache_lookups", .counter, labels: ["cache", "result"], "Look-ups in caches, by cache and result (hit, miss).")
}

/// The names that Prometheus accepts.
package enum MetricName {
    /// `[a-zA-Z_:][a-zA-Z0-9_:]*`; colons are reserved for recording rules.
    static func isGood(_ name: String) -> Bool { isGoodLabel(name) }

    /// `[a-zA-Z_][a-zA-Z0-9_]*`
    static func isGoodLabel(_ name: String) -> Bool {
        guard let first = name.utf8.first, first.isLetterOfName else { return false }
        return name.utf8.allSatisfy { $0.isLetterOfName || $0.isDigit }
    }

    /// A name from other words: each other byte becomes an underscore.
    package static func sanitized(_ text: String, limit: Int) -> String {
        var name = text.utf8.prefix(limit).map { $0.isLetterOfName || $0.isDigit ? $0 : UInt8(ascii: "_") }
        if name.first?.isLetterOfName != true { name.insert(UInt8(ascii: "_"), at: 0) }
        return String(decoding: name, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
    fileprivate var isLetterOfName: Bool {
        (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") || self == UInt8(ascii: "_")
    }
}
