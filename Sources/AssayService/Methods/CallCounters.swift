import AssayAPI
package import AssayMetrics
package import AssayRPC
import Synchronization

/// Counts and times the calls of each method since the start, also over reloads. Calls that the transport refuses before they reach a
/// method are in `RPCStatistics`.
package final class CallCounters: Sendable {
    package struct Counts: Hashable, Sendable {
        package internal(set) var calls: UInt64 = 0
        /// Calls that were answered by an error, by its code.
        package internal(set) var failures: [RPCStatusCode: UInt64] = [:]
    }

    /// Of one method.
    final class Counter: Sendable {
        private let calls = Atomic<UInt64>(0)
        private let failures = Mutex<[RPCStatusCode: UInt64]>([:])
        /// From the last byte of the request to the answer, of calls that were answered without an error.
        let durations = Histogram(seconds: Histogram.callSeconds)

        func began(_ count: Int) { calls.wrappingAdd(UInt64(count), ordering: .relaxed) }

        func failed(_ code: RPCStatusCode) { failures.withLock { $0[code, default: 0] += 1 } }

        var counts: Counts { Counts(calls: calls.load(ordering: .relaxed), failures: failures.withLock { $0 }) }
    }

    /// In the order of `MethodDeclaration.all`.
    let counters = MethodDeclaration.all.map { _ in Counter() }

    package init() {}

    /// By the path of the method.
    package var counts: [String: Counts] {
        Dictionary(
            zip(MethodDeclaration.all, counters).map { ($0.path, $1.counts) }, uniquingKeysWith: { first, _ in first })
    }
}

extension CallCounters: MetricsCollector {
    private static let answered = MetricFamily(
        "assay_calls", .counter, labels: ["method", "status"],
        "Calls that a method answered, by the gRPC status of the answer; abandoned calls are not among them.")
    private static let seconds = MetricFamily(
        "assay_call_duration_seconds", .histogram, unit: .seconds, labels: ["method"],
        "The time from the last byte of a request to its answer, of calls that were answered without an error.")

    package var metricFamilies: [MetricFamily] { [Self.answered, Self.seconds] }

    /// A method that was never called has the count of its good answers, 0, and no histogram.
    package func collect(into exposition: inout Exposition) {
        for (method, counter) in zip(MethodDeclaration.all, counters) {
            let (durations, counts) = (counter.durations.snapshot, counter.counts)
            exposition.add(Self.answered, [method.path, "OK"], count: durations.count)
            guard counts.calls > 0 else { continue }
            for (code, count) in counts.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                exposition.add(Self.answered, [method.path, "\(code)"], count: count)
            }
            exposition.add(Self.seconds, [method.path], histogram: durations)
        }
    }
}
