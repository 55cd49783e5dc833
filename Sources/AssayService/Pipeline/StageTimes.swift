package import AssayMetrics
import AssayTracing

/// How long requests are in the stages of the pipeline. The requests of a group pass a stage together, so each of them is in it for
/// the group's time; the clock is read once for a group and stage.
package final class StageTimes: Sendable {
    package enum Stage: String, CaseIterable, Sendable {
        /// Challenge and idempotency, and everything that is fetched.
        case prepare
        case appraise
        /// The decision, and what it leads to beside the verdict, such as a certificate.
        case decide
        /// Waiting for the ledger's commit, of requests that are to be accepted.
        case commit
    }

    private let prepare = Histogram(seconds: Histogram.workSeconds)
    private let appraise = Histogram(seconds: Histogram.workSeconds)
    private let decide = Histogram(seconds: Histogram.workSeconds)
    private let commit = Histogram(seconds: Histogram.workSeconds)

    package init() {}

    private func histogram(_ stage: Stage) -> Histogram {
        switch stage {
        case .prepare: prepare
        case .appraise: appraise
        case .decide: decide
        case .commit: commit
        }
    }

    /// Times one group.
    struct Watch {
        private let times: StageTimes
        private var requests: Int
        private var since: UInt64
        /// Of the requests that are traced.
        private var traces: [CallTrace]

        init(_ times: StageTimes, _ requests: [AuthorizedRequest]) {
            (self.times, self.requests, traces) = (times, requests.count, requests.traces)
            since = MonotonicTime.nanoseconds()
        }

        /// So many of the requests go on to the next stage.
        ///
        /// - Parameter admitted: those of them that may be traced, asked only if some of the group were.
        mutating func goesOn(with requests: Int, _ admitted: () -> [AuthorizedRequest]) {
            self.requests = requests
            if !traces.isEmpty { traces = admitted().traces }
        }

        mutating func ended(_ stage: Stage) {
            let now = MonotonicTime.nanoseconds()
            times.histogram(stage).record(now &- since, times: requests)
            for trace in traces {
                // The time is the group's: a span says for how many requests.
                trace.add(stage.rawValue, from: since, to: now, .unset, [SpanAttribute("assay.group.requests", requests)])
            }
            since = now
        }
    }
}

extension StageTimes: MetricsCollector {
    private static let seconds = MetricFamily(
        "assay_stage_duration_seconds", .histogram, unit: .seconds, labels: ["stage"],
        "The time that a request is in a stage of the pipeline, with the other requests of its group.")

    package var metricFamilies: [MetricFamily] { [Self.seconds] }

    package func collect(into exposition: inout Exposition) {
        for stage in Stage.allCases {
            exposition.add(Self.seconds, [stage.rawValue], histogram: histogram(stage).snapshot)
        }
    }
}
