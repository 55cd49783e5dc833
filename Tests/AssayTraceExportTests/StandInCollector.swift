import AssayCore
import AssayOTLP
import AssayTesting
import AssayTraceExport
import AssayTracing
import AssayVendors
import Logging
import ServiceLifecycle
import SwiftProtobuf
import Synchronization

typealias ExportRequest = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest
typealias ExportResponse = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceResponse

/// A collector on loopback that reads what it gets as OTLP.
struct StandInCollector {
    let server: TestHTTPSServer

    /// Without TLS.
    init(answer: @escaping TestHTTPSServer.Rule = { _ in TestHTTPSAnswer(200) }) async throws {
        server = try await TestHTTPSServer.plain(answer: answer)
    }

    /// The batches so far, those that it refused included.
    func batches() throws -> [ExportRequest] { try server.requests.map { try ExportRequest(serializedBytes: $0.body) } }
}

extension ExportRequest {
    var spans: [Opentelemetry_Proto_Trace_V1_Span] { resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans) }
}

/// An exporter that runs as in the daemon, with short times.
final class RunningExporter: Sendable {
    let exporter: SpanExporter
    let log = LogBook()
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(
        _ settings: TraceExportSettings?, queue: SpanQueue = SpanQueue(),
        _ change: (inout SpanExporter.Timing) -> Void = { _ in }
    )
        throws
    {
        var timing = SpanExporter.Timing()
        timing.delay = .milliseconds(20)
        // A collector that answers may take its time on a busy machine.
        (timing.timeout, timing.flush) = (.seconds(30), .seconds(30))
        timing.backoff = .init(first: 20, cap: 40)
        timing.patience = .seconds(120)
        change(&timing)
        let logger = log.logger
        exporter = SpanExporter(
            tracer: Tracer(queue: queue), TraceResource(version: "1.2.3", instance: "here"), timing: timing,
            clock: SystemClock(), logger: logger)
        try exporter.prepare(settings)()
        let group = ServiceGroup(
            services: [exporter], logger: Logger(label: "group", factory: { _ in SwiftLogNoOpLogHandler() }))
        (self.group, task) = (group, Task { try await group.run() })
    }

    /// Ends a call with a name.
    func call(_ name: String) { exporter.tracer.begin(name, received: 0, parent: nil, state: nil)?.end() }

    var counts: (exported: UInt64, dropped: [SpanQueue.Drop: UInt64]) { exporter.tracer.queue.counts }

    /// Stops gracefully, and waits for the end.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }
}
