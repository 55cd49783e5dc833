/// The text formats of a scrape.
package enum MetricsText: Hashable, Sendable, CaseIterable {
    /// Prometheus' text format, version 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The whole text, UTF-8.
    package func write(_ exposition: Exposition) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(64 << 10)
        for (family, samples) in exposition.families { write(family, samples, &text) }
        if self == .openMetrics { text += "# EOF\n".utf8 }
        return text
    }

    private func write(_ family: MetricFamily, _ samples: [Exposition.Sample], _ text: inout [UInt8]) {
        let name = self == .openMetrics ? family.name : family.queryName
        let kind = self == .prometheus && family.kind == .info ? .gauge : family.kind
        if self == .prometheus { writeHelp(family, name, &text) }
        text += "# TYPE \(name) \(kind.rawValue)\n".utf8
        if self == .openMetrics {
            if let unit = family.unit { text += "# UNIT \(name) \(unit.rawValue)\n".utf8 }
            writeHelp(family, name, &text)
        }
        for sample in samples {
            switch sample.value {
            case .integer(let value): write(family.queryName, family, sample, &text) { $0 += String(value).utf8 }
            case .number(let value): write(family.queryName, family, sample, &text) { $0 += Self.number(value).utf8 }
            case .histogram(let snapshot): write(snapshot, family, sample, &text)
            }
        }
    }

    private func writeHelp(_ family: MetricFamily, _ name: String, _ text: inout [UInt8]) {
        text += "# HELP \(name) ".utf8
        Self.escape(family.help, quotes: self == .openMetrics, into: &text)
        text.append(UInt8(ascii: "\n"))
    }

    private func write(
        _ snapshot: Histogram.Snapshot, _ family: MetricFamily, _ sample: Exposition.Sample, _ text: inout [UInt8]
    ) {
        var cumulated: UInt64 = 0
        for (index, count) in snapshot.counts.enumerated() {
            cumulated &+= count
            let bound = index < snapshot.bounds.count ? Self.number(snapshot.bounds[index]) : "+Inf"
            write(family.name + "_bucket", family, sample, le: bound, &text) { $0 += String(cumulated).utf8 }
        }
        write(family.name + "_sum", family, sample, &text) { $0 += Self.number(snapshot.sum).utf8 }
        write(family.name + "_count", family, sample, &text) { $0 += String(cumulated).utf8 }
    }

    private func write(
        _ name: String, _ family: MetricFamily, _ sample: Exposition.Sample, le bound: String? = nil, _ text: inout [UInt8],
        value: (inout [UInt8]) -> Void
    ) {
        text += name.utf8
        var isFirst = true
        func open(_ label: String) {
            text.append(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
            isFirst = false
            text += label.utf8
            text += "=\"".utf8
        }
        for (label, value) in zip(family.labels, sample.labels) {
            open(label)
            Self.escape(value, quotes: true, into: &text)
            text.append(UInt8(ascii: "\""))
        }
        if let bound {
            open("le")
            text += bound.utf8
            text.append(UInt8(ascii: "\""))
        }
        if !isFirst { text.append(UInt8(ascii: "}")) }
        text.append(UInt8(ascii: " "))
        value(&text)
        text.append(UInt8(ascii: "\n"))
    }

    /// The shortest form that reads as the same number.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.description
    }

    /// Escapes bytes, not characters: "\r\n" is one character, and only its line feed ends a line.
    private static func escape(_ value: String, quotes: Bool, into text: inout [UInt8]) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): text += #"\\"#.utf8
            case UInt8(ascii: "\n"): text += #"\n"#.utf8
            case UInt8(ascii: "\"") where quotes: text += #"\""#.utf8
            default: text.append(byte)
            }
        }
    }
}
