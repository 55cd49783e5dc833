import AssayCore
import AssayMetrics
import AssayService

/// The records of verdicts.
struct VerdictRecordMetrics: MetricsCollector {
    private static let made = MetricFamily(
        "assay_verdict_records_made", .counter, "Records of verdicts that were handed to their file.")
    private static let sampled = MetricFamily(
        "assay_verdict_records_sampled", .counter,
        "Verdicts of floods that have no record of their own: another record stands for them.")
    private static let dropped = MetricFamily(
        "assay_verdict_records_dropped", .counter,
        "Verdicts of which no record could be kept: the queue or the disk was full, or the file cannot be used.")

    let recorder: VerdictRecorder

    var metricFamilies: [MetricFamily] { [Self.made, Self.sampled, Self.dropped] }

    func collect(into exposition: inout Exposition) {
        let counts = recorder.counts
        exposition.add(Self.made, count: counts.made)
        exposition.add(Self.sampled, count: counts.sampled)
        exposition.add(Self.dropped, count: recorder.status?.dropped ?? 0)
    }
}
