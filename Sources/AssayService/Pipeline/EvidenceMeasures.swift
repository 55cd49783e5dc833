import AssayCore
package import AssayMetrics

/// What is measured of evidence that the policy accepts: how far counters advance, and how often an attestation key is used.
package final class EvidenceMeasures: Sendable {
    /// 1: no assertion was left out.
    private let counterSteps = Histogram(counts: [1, 2, 3, 5, 10, 20, 50, 100, 1000])
    private let keyUses = Histogram(counts: [0, 1, 2, 3, 5, 10, 20, 50, 100])

    package init() {}

    func record(_ decided: DecidedRequest) {
        for advance in decided.changes.advances {
            // By field: a record is long, and a copy of it dear.
            guard let counter = decided.prepared.knownDevice?.counter, advance.counter >= counter else { continue }
            counterSteps.record(UInt64(advance.counter - counter))
        }
        guard !decided.changes.registrations.isEmpty else { return }
        for piece in decided.prepared.pieces {
            guard let use = piece.facts.attestationKeyUse else { continue }
            keyUses.record(UInt64(clamping: use.lastDay))
        }
    }
}

extension EvidenceMeasures: MetricsCollector {
    private static let steps = MetricFamily(
        "assay_assertion_step", .histogram,
        "How far the counter of accepted evidence is above the last accepted one; 1 is the next, more is a gap.")
    private static let uses = MetricFamily(
        "assay_attestation_key_registrations", .histogram,
        "Keys that the attestation key of a registration had registered in the last day, the new one not included.")

    package var metricFamilies: [MetricFamily] { [Self.steps, Self.uses] }

    package func collect(into exposition: inout Exposition) {
        exposition.add(Self.steps, histogram: counterSteps.snapshot)
        exposition.add(Self.uses, histogram: keyUses.snapshot)
    }
}
