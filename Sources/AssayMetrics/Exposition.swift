/// The samples of one scrape, by family. Collectors add to it; a `MetricsText` writes it.
package struct Exposition: Sendable {
    package enum Value: Sendable, Equatable {
        case integer(UInt64)
        case number(Double)
        case histogram(Histogram.Snapshot)
    }

    package struct Sample: Sendable, Equatable {
        /// The values of the labels, in the order of the family's names.
        package let labels: [String]
        package let value: Value
    }

    private(set) package var families: [(family: MetricFamily, samples: [Sample])] = []
    private var places: [String: Int] = [:]

    package init() {}

    /// Adds families in this order. A family without samples is written all the same, so that a query finds its type.
    package mutating func declare(_ new: [MetricFamily]) {
        for family in new { _ = place(of: family) }
    }

    private mutating func place(of family: MetricFamily) -> Int {
        if let place = places[family.name] { return place }
        places[family.name] = families.count
        families.append((family, []))
        return families.count - 1
    }

    /// - Parameter labels: one value for each label of the family.
    package mutating func add(_ family: MetricFamily, _ labels: [String] = [], value: Value) {
        assert(labels.count == family.labels.count, "\(family.name) has the labels \(family.labels)")
        families[place(of: family)].samples.append(Sample(labels: labels, value: value))
    }

    package mutating func add(_ family: MetricFamily, _ labels: [String] = [], count: UInt64) {
        add(family, labels, value: .integer(count))
    }

    package mutating func add(_ family: MetricFamily, _ labels: [String] = [], count: some BinaryInteger) {
        add(family, labels, value: .integer(UInt64(clamping: count)))
    }

    package mutating func add(_ family: MetricFamily, _ labels: [String] = [], number: Double) {
        add(family, labels, value: .number(number))
    }

    package mutating func add(_ family: MetricFamily, _ labels: [String] = [], isTrue: Bool) {
        add(family, labels, value: .integer(isTrue ? 1 : 0))
    }

    package mutating func add(_ family: MetricFamily, _ labels: [String] = [], histogram snapshot: Histogram.Snapshot) {
        add(family, labels, value: .histogram(snapshot))
    }
}

/// Reads the metrics of one subject when they are scraped.
package protocol MetricsCollector: Sendable {
    /// Everything that `collect` may add.
    var metricFamilies: [MetricFamily] { get }
    /// Does no I/O that can wait.
    func collect(into exposition: inout Exposition)
}

/// A ledger that measures its writer.
package protocol MeasuredLedger: MetricsCollector {
    /// How long the writer has been at its present transaction, in seconds; 0 while it waits for work.
    var writerBusySeconds: Double { get }
}
