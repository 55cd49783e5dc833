import AssayConfiguration
import AssayCore
import AssayMetrics
import AssayTraceExport
import ServiceLifecycle

/// The traces of calls.
struct TracesPart: DaemonPart {
    /// Traces calls and exports their spans.
    let exporter: SpanExporter

    /// Throws if the collector's settings cannot be used.
    init(_ base: DaemonBase, _ live: LiveConfiguration) throws {
        exporter = SpanExporter(
            TraceResource(version: Version.text, instance: Hex.encode(SecureRandom.bytes(16))), clock: base.clock,
            logger: base.logger)
        try exporter.prepare(live.traces)()
    }

    var services: [any Service] { [exporter] }
    var reloadSteps: [ReloadStep] {
        [ReloadStep("traces", follows: [\.traces]) { [exporter] new in try exporter.prepare(new.traces) }]
    }
    var collectors: [any MetricsCollector] { [exporter] }
}
