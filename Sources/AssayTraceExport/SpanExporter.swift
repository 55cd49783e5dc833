package import AssayCore
package import AssayMetrics
import AssayOTLP
package import AssayTracing
package import AssayVendors
package import Logging
import ServiceLifecycle
import SwiftProtobuf
import Synchronization

/// Exports spans over OTLP/HTTP, in batches, beside the calls.
///
/// A batch is tried again while the collector is unreachable or overloaded, with growing pauses. Spans meanwhile wait in the bounded queue;
/// what does not fit is dropped and counted. At a graceful stop the last spans are sent within a bound.
package final class SpanExporter: Service {
    /// Sizes and times of the export.
    package struct Timing: Hashable, Sendable {
        /// Spans of a batch.
        package var batch = 512
        /// How long the first span of a batch waits for others.
        package var delay = Duration.seconds(1)
        /// Of one request.
        package var timeout = Duration.seconds(10)
        /// How long a batch is tried.
        package var patience = Duration.seconds(60)
        /// The pauses between tries.
        package var backoff = Backoff(first: 1000, cap: 30_000)
        /// How long the end of the daemon may wait for the last spans.
        package var flush = Duration.seconds(3)

        package init() {}
    }

    /// The longest pause that a collector may ask for, in milliseconds.
    static let longestPause: Int64 = 300_000

    private enum Delivery {
        case done
        /// The task was cancelled: the batch has to be sent by another.
        case interrupted
    }

    package let tracer: Tracer
    private let resource: TraceResource
    private let timing: Timing
    private let clock: any WallClock
    private let health: VendorHealth
    private let session = Mutex<CollectorSession?>(nil)
    private var queue: SpanQueue { tracer.queue }

    package init(
        tracer: Tracer = Tracer(), _ resource: TraceResource, timing: Timing = Timing(), clock: any WallClock, logger: Logger
    ) {
        (self.tracer, self.resource, self.timing, self.clock) = (tracer, resource, timing, clock)
        health = VendorHealth(
            timing.backoff,
            VendorHealth.Words(
                failing: "traces cannot be exported", answering: "traces are exported again", metadata: ["service": "collector"]
            ), clock: clock, logger: logger)
    }

    /// Whether `TraceExportSettings` may name these roots.
    package static func canTrust(_ roots: [UInt8]) -> Bool {
        guard !roots.isEmpty, let endpoint = try? TraceEndpoint("https://localhost") else { return false }
        return (try? CollectorSession(TraceExportSettings(endpoint: endpoint, roots: roots), timeout: .seconds(1))) != nil
    }

    /// Prepares the replacement of the settings; throws if they cannot be used, and then nothing has changed.
    ///
    /// - Parameter settings: `nil` ends tracing; spans that wait are dropped.
    package func prepare(_ settings: TraceExportSettings?) throws -> @Sendable () -> Void {
        let isSame = session.withLock { $0?.settings == settings }
        guard !isSame else { return {} }
        let next = try settings.map { try CollectorSession($0, timeout: timing.timeout) }
        return {
            self.session.withLock { $0 = next }
            self.tracer.use(settings?.rule)
            if next == nil { self.queue.clear(because: .stopped) }
        }
    }

    package func run() async throws {
        // Cancelled by both: by a graceful stop, after which the last spans are sent, and by the end of the task.
        await cancelWhenGracefulShutdown { await self.export() }
        if !Task.isCancelled { await flush() }
        tracer.use(nil)
        queue.clear(because: .stopped)
    }

    /// Until the task is cancelled.
    private func export() async {
        for await _ in queue.arrivals {
            while queue.count > 0 {
                await gather()
                let batch = queue.take(timing.batch)
                guard !Task.isCancelled else { return queue.giveBack(batch) }
                if await deliver(batch) == .interrupted { return queue.giveBack(batch) }
            }
        }
    }

    /// Waits for a whole batch, for the delay at most.
    private func gather() async {
        let end = ContinuousClock.now + timing.delay
        while queue.count < timing.batch, !Task.isCancelled {
            let rest = end - .now
            guard rest > .zero else { return }
            try? await Task.sleep(for: min(rest, .milliseconds(100)))
        }
    }

    /// Sends a batch until the collector takes or refuses it, or the patience ends.
    private func deliver(_ batch: [Span]) async -> Delivery {
        guard !batch.isEmpty, let body = serialized(batch) else { return .done }
        let end = ContinuousClock.now + timing.patience
        var random = SystemRandomNumberGenerator()
        var failures = 0
        while true {
            guard let session = session.withLock({ $0 }) else {
                queue.dropped(batch.count, because: .stopped)
                return .done
            }
            let begun = clock.now()
            let outcome = await session.send(body, at: begun)
            if settle(outcome, batch) { return .done }
            guard !Task.isCancelled else { return .interrupted }
            guard case .failed(let problem, let retryAfter) = outcome else { return .done }
            failures += 1
            health.failed(problem, begun: begun, asked: retryAfter)
            let wait = timing.backoff.wait(after: failures, using: &random)
            let pause = Duration.milliseconds(max(wait, min(retryAfter ?? 0, Self.longestPause)))
            // A pause that the collector asks for is kept, however long: another batch would not be welcome sooner.
            guard ContinuousClock.now + (retryAfter == nil ? pause : .zero) < end else {
                queue.dropped(batch.count, because: .unreachable)
                return .done
            }
            do { try await Task.sleep(for: pause) } catch { return .interrupted }
        }
    }

    /// Counts what the collector took or refused, once the log says so. False: it did neither.
    private func settle(_ outcome: CollectorSession.Outcome, _ batch: [Span]) -> Bool {
        switch outcome {
        case .taken(let rejected):
            let rejected = min(rejected, batch.count)
            if rejected > 0 { health.noticed("the collector dropped spans of a batch") }
            health.succeeded()
            queue.dropped(rejected, because: .refused)
            queue.exported(batch.count - rejected)
            return true
        case .refused(let problem):
            health.noticed(problem)
            queue.dropped(batch.count, because: .refused)
            return true
        case .failed: return false
        }
    }

    private func serialized(_ batch: [Span]) -> [UInt8]? {
        let body: [UInt8]? =
            try? Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest(batch, of: resource).serializedBytes()
        if body == nil { queue.dropped(batch.count, because: .refused) }
        return body
    }

    /// Sends what waits, each batch once, within the bound.
    private func flush() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while true {
                    let batch = self.queue.take(self.timing.batch)
                    guard !batch.isEmpty, let body = self.serialized(batch), let session = self.session.withLock({ $0 }) else {
                        return self.queue.dropped(batch.count, because: .stopped)
                    }
                    guard self.settle(await session.send(body, at: self.clock.now()), batch) else {
                        return self.queue.dropped(batch.count, because: .stopped)
                    }
                }
            }
            group.addTask { try? await Task.sleep(for: self.timing.flush) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension SpanExporter: MetricsCollector {
    package var metricFamilies: [MetricFamily] { tracer.metricFamilies }
    package func collect(into exposition: inout Exposition) { tracer.collect(into: &exposition) }
}
