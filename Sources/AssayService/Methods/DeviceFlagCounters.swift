package import AssayCore
package import AssayMetrics

/// Counts flags that were set on devices on which they did not stand, and flags that were cleared before their end, since the start.
///
/// Names of flags are no label: a caller may use any.
package final class DeviceFlagCounters: Sendable {
    private let changes = LabelledCounters(
        MetricFamily(
            "assay_device_flag_changes", .counter, labels: ["change", "by"],
            "Flags of devices that were set where they did not stand (set) or cleared before their end (cleared), by plugins and callers."
        ),
        limit: 4)

    /// Every series begins at zero, so that the first change of a kind is seen as a rise.
    package init() {
        for change in ["set", "cleared"] {
            for setter in ["plugin", "caller"] { changes.count([change, setter], by: 0) }
        }
    }

    /// - Parameter setter: the one that made the change; it may have cleared a flag of another.
    package func count(_ outcome: DeviceFlagOutcome, by setter: DeviceFlag.Setter) {
        let change: String
        switch outcome {
        case .set: change = "set"
        case .cleared: change = "cleared"
        case .renewed, .unchanged, .tooMany: return
        }
        let name =
            switch setter {
            case .plugin: "plugin"
            case .caller: "caller"
            }
        changes.count([change, name])
    }

    /// By the values of the labels.
    package var counts: [[String]: UInt64] { changes.counts }
}

extension DeviceFlagCounters: MetricsCollector {
    package var metricFamilies: [MetricFamily] { changes.metricFamilies }
    package func collect(into exposition: inout Exposition) { changes.collect(into: &exposition) }
}
