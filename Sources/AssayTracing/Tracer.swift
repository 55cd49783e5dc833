package import AssayMetrics
import Synchronization

/// Decides which calls are traced, and begins their traces.
///
/// While tracing is off, a call costs one comparison. A call that is not traced gets no span and no id.
package final class Tracer: Sendable {
    /// Which calls are traced.
    package struct Rule: Hashable, Sendable {
        /// The share of the calls without a parent, from 0 to 1.
        package var share: Double
        /// Calls a second whose parent is sampled, of all callers together. More of them are not traced, so that callers cannot make the
        /// daemon trace everything.
        package var parentsPerSecond: Int

        package init(share: Double = 0, parentsPerSecond: Int = 50) {
            (self.share, self.parentsPerSecond) = (share, parentsPerSecond)
        }
    }

    /// Tokens for calls with a sampled parent: as many as come in a second may be used at once.
    private struct Bucket {
        var perSecond = 0.0
        var tokens = 0.0
        /// Of the monotonic clock, in nanoseconds.
        var filledAt: UInt64 = 0

        mutating func take(at now: UInt64) -> Bool {
            let passed = now > filledAt ? Double(now - filledAt) / 1e9 : 0
            (tokens, filledAt) = (min(perSecond, tokens + passed * perSecond), max(now, filledAt))
            guard tokens >= 1 else { return false }
            tokens -= 1
            return true
        }
    }

    package let queue: SpanQueue
    private let active = Atomic(false)
    /// The share of calls without a parent, times 2^64; all ones for every call.
    private let threshold = Atomic<UInt64>(0)
    private let number = Atomic<UInt64>(UInt64.random(in: 0...UInt64.max))
    private let bucket = Mutex(Bucket())
    private let refusedParents = Atomic<UInt64>(0)

    package init(queue: SpanQueue = SpanQueue()) { self.queue = queue }

    /// Whether any call may be traced.
    package var isOn: Bool { active.load(ordering: .relaxed) }

    /// Follows the configuration; `nil`: nothing is traced.
    package func use(_ rule: Rule?) {
        let share = min(max(rule?.share ?? 0, 0), 1)
        // 2^64 is no UInt64.
        threshold.store(share >= 1 ? .max : UInt64(share * 0x1p64), ordering: .relaxed)
        bucket.withLock { bucket in
            let perSecond = Double(max(0, rule?.parentsPerSecond ?? 0))
            if perSecond != bucket.perSecond {
                bucket = Bucket(perSecond: perSecond, tokens: perSecond, filledAt: MonotonicTime.nanoseconds())
            }
        }
        active.store(rule != nil, ordering: .relaxed)
    }

    /// The trace of a call; `nil` if it is not traced.
    ///
    /// - Parameters:
    ///   - name: of the call's span: its method.
    ///   - received: nanoseconds that have passed since the call was received.
    ///   - parent: the text of the call's `traceparent`. One that is not of the form counts as none.
    ///   - state: the text of its `tracestate`, which counts only with a parent.
    ///   - now: the monotonic clock, in nanoseconds.
    package func begin(
        _ name: String, received: UInt64, parent: String?, state: String?, now: UInt64 = MonotonicTime.nanoseconds()
    ) -> CallTrace? {
        guard let parent = parent.flatMap({ try? TraceParent(parsing: $0) }) else {
            guard samplesNext() else { return nil }
            return CallTrace(name, .random(), now: now, received: received, into: queue)
        }
        guard parent.isSampled else { return nil }
        guard bucket.withLock({ $0.take(at: now) }) else {
            refusedParents.wrappingAdd(1, ordering: .relaxed)
            return nil
        }
        return CallTrace(
            name, parent.traceID, below: parent, state: state.flatMap { TraceState(parsing: $0) }, now: now, received: received,
            into: queue)
    }

    /// Whether a call without a parent is one of the share. Numbers that look random, without a system call for each.
    private func samplesNext() -> Bool {
        let threshold = threshold.load(ordering: .relaxed)
        guard threshold > 0 else { return false }
        guard threshold < .max else { return true }
        var mixed = number.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31 < threshold
    }
}

extension Tracer: MetricsCollector {
    private static let refused = MetricFamily(
        "assay_trace_parents_refused", .counter,
        "Calls that were not traced although their caller samples the trace, since traces.parents_per_second was reached.")

    package var metricFamilies: [MetricFamily] { queue.metricFamilies + [Self.refused] }

    package func collect(into exposition: inout Exposition) {
        queue.collect(into: &exposition)
        exposition.add(Self.refused, count: refusedParents.load(ordering: .relaxed))
    }
}
