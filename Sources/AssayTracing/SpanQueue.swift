package import AssayMetrics
import Synchronization

/// The spans that wait for their export: a bounded queue. What does not fit is dropped and counted, so that a collector that does not answer
/// costs memory up to the bound and delays no call.
package final class SpanQueue: Sendable {
    /// Why a span was not exported.
    package enum Drop: String, CaseIterable, Hashable, Sendable {
        /// The queue was full.
        case queueFull = "queue_full"
        /// The collector refused the batch, or said that it dropped the span.
        case refused
        /// The collector did not take the batch for as long as it is tried.
        case unreachable
        /// The configuration ended the export, or the daemon stopped.
        case stopped
    }

    private struct State {
        var spans: [Span] = []
        /// Batches that were taken and not exported: they come first again.
        var returned: [[Span]] = []
        var returnedCount = 0
        var exported: UInt64 = 0
        var dropped: [Drop: UInt64] = [:]

        var count: Int { spans.count + returnedCount }
    }

    /// A span has some 500 bytes: the queue has at most a few megabytes.
    package static let usualCapacity = 8192

    private let capacity: Int
    private let state = Mutex(State())
    /// One element after the queue has become other than empty; for one consumer.
    package let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    package init(capacity: Int = SpanQueue.usualCapacity) {
        self.capacity = max(1, capacity)
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var count: Int { state.withLock { $0.count } }

    /// Adds the spans of a call: all of them, or none.
    package func append(_ spans: [Span]) {
        let isFirst = state.withLock { state in
            guard state.count + spans.count <= capacity else {
                state.dropped[.queueFull, default: 0] += UInt64(spans.count)
                return false
            }
            defer { state.spans += spans }
            return state.count == 0
        }
        if isFirst { arrival.yield() }
    }

    /// The oldest spans, at most that many; empty if none waits.
    package func take(_ limit: Int) -> [Span] {
        state.withLock { state in
            if let batch = state.returned.popLast() {
                state.returnedCount -= batch.count
                return batch
            }
            let batch = Array(state.spans.prefix(limit))
            state.spans.removeFirst(batch.count)
            return batch
        }
    }

    /// Takes back a batch that could not be exported yet.
    package func giveBack(_ batch: [Span]) {
        state.withLock { state in
            state.returned.append(batch)
            state.returnedCount += batch.count
        }
    }

    package func exported(_ count: Int) { state.withLock { $0.exported += UInt64(count) } }

    package func dropped(_ count: Int, because reason: Drop) {
        guard count > 0 else { return }
        state.withLock { $0.dropped[reason, default: 0] += UInt64(count) }
    }

    /// Drops all that wait.
    package func clear(because reason: Drop) {
        state.withLock { state in
            state.dropped[reason, default: 0] += UInt64(state.count)
            (state.spans, state.returned, state.returnedCount) = ([], [], 0)
        }
    }

    package var counts: (exported: UInt64, dropped: [Drop: UInt64]) { state.withLock { ($0.exported, $0.dropped) } }
}

extension SpanQueue: MetricsCollector {
    private static let exportedFamily = MetricFamily(
        "assay_trace_spans_exported", .counter, "Spans that the collector of traces took.")
    private static let droppedFamily = MetricFamily(
        "assay_trace_spans_dropped", .counter, labels: ["reason"],
        "Spans that were not exported: queue_full, refused by the collector, unreachable collector, or stopped.")
    private static let waiting = MetricFamily("assay_trace_spans_waiting", .gauge, "Spans that wait for their export.")

    package var metricFamilies: [MetricFamily] { [Self.exportedFamily, Self.droppedFamily, Self.waiting] }

    package func collect(into exposition: inout Exposition) {
        let (exported, dropped) = counts
        exposition.add(Self.exportedFamily, count: exported)
        for reason in Drop.allCases { exposition.add(Self.droppedFamily, [reason.rawValue], count: dropped[reason] ?? 0) }
        exposition.add(Self.waiting, count: count)
    }
}
