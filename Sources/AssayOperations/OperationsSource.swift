package import AssayMetrics
package import AssayRPC

/// The answers of the operations address. The daemon makes them; this module knows HTTP only.
package struct OperationsSource: Sendable {
    package let liveness: @Sendable () async -> Liveness
    package let readiness: @Sendable () async -> Readiness
    package let metrics: @Sendable (MetricsText) async -> [UInt8]
    /// The status that a caller may see, as JSON; `nil` for a peer that is no caller.
    package let status: @Sendable (RPCPeer) async -> [UInt8]?

    package init(
        liveness: @escaping @Sendable () async -> Liveness, readiness: @escaping @Sendable () async -> Readiness,
        metrics: @escaping @Sendable (MetricsText) async -> [UInt8], status: @escaping @Sendable (RPCPeer) async -> [UInt8]?
    ) {
        (self.liveness, self.readiness, self.metrics, self.status) = (liveness, readiness, metrics, status)
    }
}

/// Keeps an answer for a moment, so that a flood of requests costs a bounded number of answers a second.
///
/// Requests that come while an answer is made get that answer.
actor RecentAnswer<Value: Sendable> {
    private let lifetime: Duration
    private let make: @Sendable () async -> Value
    private var last: (task: Task<Value, Never>, since: ContinuousClock.Instant)?

    init(for lifetime: Duration, make: @escaping @Sendable () async -> Value) { (self.lifetime, self.make) = (lifetime, make) }

    var value: Value {
        get async {
            if let last, ContinuousClock.now - last.since < lifetime { return await last.task.value }
            let task = Task { [make] in await make() }
            last = (task, .now)
            return await task.value
        }
    }
}
