import AssayCore
package import AssayMetrics
import Synchronization

/// Counts signed results and what stood in their way, since the start, and how long signing took.
package final class ResultCounters: Sendable {
    private final class Count: Sendable {
        let number = Atomic<UInt64>(0)
    }

    /// Of every shape. They are counted with each verdict that carries one, so without a lock.
    private let signed = Dictionary(uniqueKeysWithValues: ResultShape.allCases.map { ($0, Count()) })
    private let problems = LabelledCounters(
        MetricFamily(
            "assay_result_problems", .counter, labels: ["code"],
            "Results of accepted verdicts that were not signed, by the code of the problem."),
        limit: ResultProblem.allCases.count)
    private let durations = Histogram(seconds: Histogram.workSeconds)

    /// Every series begins at zero, so that the first problem of a kind is seen as a rise.
    package init() {
        for problem in ResultProblem.allCases { problems.count([problem.rawValue], by: 0) }
    }

    /// - Parameter nanoseconds: from the claims to the token, waiting for a token's queue included.
    func count(_ result: SignedResult, took nanoseconds: UInt64) {
        switch result.outcome {
        case .signed:
            signed[result.shape]?.number.wrappingAdd(1, ordering: .relaxed)
            durations.record(nanoseconds)
        case .refused(let problem): problems.count([problem.rawValue])
        }
    }

    func signed(_ shape: ResultShape) -> UInt64 { signed[shape]?.number.load(ordering: .relaxed) ?? 0 }
    func problems(_ problem: ResultProblem) -> UInt64 { problems.counts[[problem.rawValue], default: 0] }
    var timed: UInt64 { durations.snapshot.count }
}

extension ResultCounters: MetricsCollector {
    private static let signedResults = MetricFamily(
        "assay_results_signed", .counter, labels: ["shape"],
        "Results that were signed, by shape; those of repeated verdicts too.")
    private static let seconds = MetricFamily(
        "assay_result_signing_duration_seconds", .histogram, unit: .seconds,
        "The time from a verdict to its signed result, the wait for a token that signs included.")

    package var metricFamilies: [MetricFamily] { [Self.signedResults] + problems.metricFamilies + [Self.seconds] }

    package func collect(into exposition: inout Exposition) {
        for shape in ResultShape.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            exposition.add(Self.signedResults, [shape.rawValue], count: signed(shape))
        }
        problems.collect(into: &exposition)
        exposition.add(Self.seconds, histogram: durations.snapshot)
    }
}
