import AssayMetrics
import AssayRPC

/// Connections and calls of all fronts.
struct TrafficMetrics: MetricsCollector {
    private static let connections = MetricFamily("assay_connections", .gauge, "Open connections.")
    private static let accepted = MetricFamily("assay_connections_accepted", .counter, "Connections that were accepted.")
    private static let handshakes = MetricFamily("assay_handshakes_under_way", .gauge, "TLS handshakes that have not ended.")
    private static let ended = MetricFamily(
        "assay_connections_ended", .counter, labels: ["reason"], "Connections that the daemon ended, by reason.")
    private static let received = MetricFamily("assay_received_bytes", .counter, unit: .bytes, "Bytes received from callers.")
    private static let sent = MetricFamily("assay_sent_bytes", .counter, unit: .bytes, "Bytes sent to callers.")
    private static let inFlight = MetricFamily("assay_calls_in_flight", .gauge, "Calls that are admitted and not answered.")
    private static let waiting = MetricFamily(
        "assay_calls_waiting", .gauge, "Groups of calls in flight that wait for their caller's turn.")
    private static let held = MetricFamily(
        "assay_held_bytes", .gauge, unit: .bytes, "Bytes of the calls in flight, and of requests that have arrived in part.")
    private static let started = MetricFamily("assay_calls_started", .counter, "Calls that reached a method.")
    private static let refused = MetricFamily(
        "assay_calls_refused", .counter, labels: ["reason"],
        "Calls that were answered before a method began or in its place, by the reason of the answer.")

    /// The reasons that alerts ask for, which have series from the start.
    private static let refusals = Dictionary(
        uniqueKeysWithValues: [
            RPCError.overloaded, .tooManyCalls, .deadlineExceeded, .cancelled, .goingAway,
        ].map { ($0.reason, 0) })

    let statistics: @Sendable () -> RPCStatistics

    var metricFamilies: [MetricFamily] {
        [
            Self.connections, Self.accepted, Self.handshakes, Self.ended, Self.received, Self.sent, Self.inFlight, Self.waiting,
            Self.held, Self.started, Self.refused,
        ]
    }

    func collect(into exposition: inout Exposition) {
        let now = statistics()
        exposition.add(Self.connections, count: now.openConnections)
        exposition.add(Self.accepted, count: now.acceptedConnections)
        exposition.add(Self.handshakes, count: now.handshakesUnderWay)
        for (reason, count) in now.endedConnections.sorted(by: { $0.key < $1.key }) {
            exposition.add(Self.ended, [reason], count: count)
        }
        exposition.add(Self.received, count: now.bytesReceived)
        exposition.add(Self.sent, count: now.bytesSent)
        exposition.add(Self.inFlight, count: now.callsInFlight)
        exposition.add(Self.waiting, count: now.callsWaiting)
        exposition.add(Self.held, count: now.heldBytes)
        exposition.add(Self.started, count: now.callsStarted)
        let refused = Self.refusals.merging(now.refusedCalls) { _, counted in counted }
        for (reason, count) in refused.sorted(by: { $0.key < $1.key }) {
            exposition.add(Self.refused, [reason], count: count)
        }
    }
}
