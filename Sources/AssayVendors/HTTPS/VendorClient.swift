package import AssayMetrics
import AssayTracing
import ServiceLifecycle
import Synchronization

/// The only client for vendors: HTTPS, bounded in time, size and number, following no redirect. An answer of any status is an
/// answer; the caller interprets it.
///
/// A reload of the configuration replaces its settings. It makes no connection before the first call.
package final class VendorClient: Service {
    private struct State {
        /// `nil` after shutdown.
        var session: VendorSession?
        var callsUnderWay = 0
    }

    private let state: Mutex<State>
    private let calls = LabelledCounters(VendorClient.callFamily, limit: 256)
    private let durations = Histogram(seconds: Histogram.callSeconds)
    /// The services that are asked on request, by host. A reload replaces them.
    private let services = Mutex<[AskedService]>([])

    private struct AskedService {
        let host: String
        weak var health: VendorHealth?
    }

    /// Throws if the extra roots are not PEM.
    package init(_ settings: VendorSettings = VendorSettings()) throws {
        state = Mutex(State(session: try VendorSession(settings)))
    }

    /// Whether `VendorSettings` may name these roots.
    package static func canTrust(_ roots: [UInt8]) -> Bool {
        !roots.isEmpty && (try? VendorSession(VendorSettings(extraRoots: roots))) != nil
    }

    /// Prepares the replacement of the settings; throws if they cannot be used, and then nothing has changed. Calls in flight
    /// keep the old settings.
    package func prepare(_ settings: VendorSettings) throws -> @Sendable () -> Void {
        guard state.withLock({ $0.session?.settings != settings }) else { return {} }
        let next = try VendorSession(settings)
        return {
            self.state.withLock { state in
                if state.session != nil { state.session = next }
            }
        }
    }

    /// Shows the state of a service among the metrics, as long as the service is in use.
    package func show(_ health: VendorHealth, of address: VendorAddress) {
        services.withLock { services in
            services.removeAll { $0.health == nil }
            services.append(AskedService(host: address.host, health: health))
        }
    }

    /// By host, whether requests wait because a service there failed repeatedly.
    private var breakers: [String: Bool] {
        let services = services.withLock { $0.compactMap { service in service.health.map { (service.host, $0) } } }
        return services.reduce(into: [:]) { open, service in
            open[service.0, default: false] = open[service.0] == true || service.1.isFailing
        }
    }

    /// Sends a request, and waits for the whole answer.
    package func call(_ request: VendorRequest, at address: VendorAddress) async throws(VendorError) -> VendorAnswer {
        let begun = MonotonicTime.nanoseconds()
        // The path may name an app, and headers are secrets: neither is in the span.
        let span = ActiveSpan.current?.open(request.method.rawValue, .client)
        let attributes = [
            SpanAttribute("http.request.method", request.method.rawValue), SpanAttribute("server.address", address.host),
        ]
        do throws(VendorError) {
            let session = try begin()
            defer { state.withLock { $0.callsUnderWay -= 1 } }
            let answer = try await session.call(request, at: address)
            durations.record(MonotonicTime.nanoseconds() &- begun)
            calls.count([address.host, answer.statusClass])
            span?.end(
                answer.status < 400 ? .unset : .error("\(answer.status)"),
                attributes + [SpanAttribute("http.response.status_code", answer.status)])
            return answer
        } catch {
            calls.count([address.host, error.outcome])
            span?.end(.error(error.outcome), attributes + [SpanAttribute("error.type", error.outcome)])
            throw error
        }
    }

    private func begin() throws(VendorError) -> VendorSession {
        try state.withLock { state throws(VendorError) in
            guard let session = state.session else { throw .closed }
            guard state.callsUnderWay < session.settings.callLimit else { throw .busy }
            state.callsUnderWay += 1
            return session
        }
    }

    /// Accepts calls until graceful shutdown. Stop it after its callers: it then finishes the calls in flight.
    package func run() async throws {
        try? await gracefulShutdown()
        close()
    }

    /// Accepts no more calls.
    package func close() { state.withLock { $0.session = nil } }
}

/// Limits and roots of requests to vendors.
package struct VendorSettings: Hashable, Sendable {
    /// The time for a connection with TLS.
    package var connectMilliseconds: Int64
    /// The time from the call to the last byte of the answer.
    package var totalMilliseconds: Int64
    /// The longest accepted body, in bytes.
    package var answerLimit: Int
    /// Calls in flight to all vendors together. More are refused at once: background callers wait, and a request that needs a
    /// verdict is answered with a retry.
    package var callLimit: Int
    /// Roots trusted beside those of the machine, as PEM: for proxies, and for tests.
    package var extraRoots: [UInt8]

    package init(
        connectMilliseconds: Int64 = 3000, totalMilliseconds: Int64 = 10_000, answerLimit: Int = 4 << 20,
        callLimit: Int = 64, extraRoots: [UInt8] = []
    ) {
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerLimit = answerLimit
        self.callLimit = callLimit
        self.extraRoots = extraRoots
    }
}

extension VendorClient: MetricsCollector {
    private static let callFamily = MetricFamily(
        "assay_vendor_calls", .counter, labels: ["host", "outcome"],
        "Calls to vendors by host and outcome: the class of the answer's status (2xx), 429 by itself, or why there was no answer."
    )
    private static let seconds = MetricFamily(
        "assay_vendor_call_duration_seconds", .histogram, unit: .seconds, "The time of calls to vendors that were answered.")
    private static let underWay = MetricFamily("assay_vendor_calls_under_way", .gauge, "Calls to vendors that have not ended.")
    private static let limit = MetricFamily(
        "assay_vendor_calls_limit", .gauge, "The most calls to vendors at a time; further ones are refused (busy).")

    private static let breaker = MetricFamily(
        "assay_vendor_breaker_open", .gauge, labels: ["host"],
        "1 if requests to a service at the host wait, because it failed repeatedly.")

    package var metricFamilies: [MetricFamily] {
        [Self.callFamily, Self.seconds, Self.underWay, Self.limit, Self.breaker]
    }

    package func collect(into exposition: inout Exposition) {
        calls.collect(into: &exposition)
        exposition.add(Self.seconds, histogram: durations.snapshot)
        let (underWay, limit) = state.withLock { ($0.callsUnderWay, $0.session?.settings.callLimit ?? 0) }
        exposition.add(Self.underWay, count: underWay)
        exposition.add(Self.limit, count: limit)
        for (host, isOpen) in breakers.sorted(by: { $0.key < $1.key }) {
            exposition.add(Self.breaker, [host], isTrue: isOpen)
        }
    }
}

extension VendorAnswer {
    fileprivate var statusClass: String {
        switch status {
        // A quota is used up, which is no fault of a request.
        case 429: "429"
        case 100..<600: "\(status / 100)xx"
        default: "invalid"
        }
    }
}

extension VendorError {
    /// A word for the metrics: one for each kind of error.
    fileprivate var outcome: String {
        switch self {
        case .busy: "busy"
        case .closed: "closed"
        case .unreachable: "unreachable"
        case .timedOut: "timed_out"
        case .untrusted: "untrusted"
        case .tooLarge: "too_large"
        case .broken: "broken"
        case .cancelled: "cancelled"
        case .refused: "refused"
        case .unsigned: "unsigned"
        }
    }
}
