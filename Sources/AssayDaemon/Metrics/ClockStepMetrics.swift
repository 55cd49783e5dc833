import AssayMetrics
import AssayService

/// Steps of the machine's clock.
struct ClockStepMetrics: MetricsCollector {
    private static let steps = MetricFamily(
        "assay_clock_steps", .counter, labels: ["direction"],
        "Steps of the clock by 2 s or more against the time that passed, ahead or back, since the start.")

    let watch: ClockWatch

    var metricFamilies: [MetricFamily] { [Self.steps] }

    func collect(into exposition: inout Exposition) {
        let steps = watch.report.steps
        exposition.add(Self.steps, ["ahead"], count: steps.ahead)
        exposition.add(Self.steps, ["back"], count: steps.back)
    }
}
