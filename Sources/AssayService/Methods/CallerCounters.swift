package import AssayMetrics
import Synchronization

/// Counts authorised calls by the caller of the configuration. Callers of earlier configurations keep their counts; beyond the limit callers
/// are counted together.
package final class CallerCounters: Sendable {
    /// Callers that are counted by themselves.
    static let limit = 1024

    private let counts = Mutex<[String: UInt64]>([:])

    package init() {}

    /// Begins the counts of callers at zero.
    package func know(_ callers: [String]) {
        counts.withLock { counts in
            for caller in callers where counts.count < Self.limit { counts[caller, default: 0] += 0 }
        }
    }

    /// Counts the calls of a group, all of one caller.
    func count(_ calls: Int, of caller: String) {
        counts.withLock { counts in
            if let known = counts.index(forKey: caller) {
                counts.values[known] &+= UInt64(calls)
            } else {
                counts[counts.count < Self.limit ? caller : LabelledCounters.other, default: 0] &+= UInt64(calls)
            }
        }
    }
}

extension CallerCounters: MetricsCollector {
    private static let calls = MetricFamily(
        "assay_caller_calls", .counter, labels: ["caller"], "Authorised calls, by the caller of the configuration.")

    package var metricFamilies: [MetricFamily] { [Self.calls] }

    package func collect(into exposition: inout Exposition) {
        for (caller, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            exposition.add(Self.calls, [caller], count: count)
        }
    }
}
