import AssayCore
import AssayMetrics
import AssayService

/// What verdicts went by, for apps that record it.
struct RecordingMetrics: MetricsCollector {
    private static let made = MetricFamily(
        "assay_recordings_made", .counter, "Recordings of what verdicts went by that were handed to their file.")
    private static let dropped = MetricFamily(
        "assay_recordings_dropped", .counter,
        "Recordings that could not be kept: the queue or the disk was full, the file cannot be used, or they were too large.")
    private static let bytes = MetricFamily("assay_recordings_bytes", .gauge, "The size of what is recorded.")

    let recorder: FactRecorder

    var metricFamilies: [MetricFamily] { [Self.made, Self.dropped, Self.bytes] }

    func collect(into exposition: inout Exposition) {
        let status = recorder.status
        exposition.add(Self.made, count: recorder.count)
        exposition.add(Self.dropped, count: status?.dropped ?? 0)
        exposition.add(Self.bytes, number: Double(status?.bytes ?? 0))
    }
}
