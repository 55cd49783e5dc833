import AssayConfiguration
import AssayMetrics
import AssayOperations
import AssayRPC
import AssayService
import ServiceLifecycle

/// The operations address, and what it shows of the daemon.
struct OperationsPart: DaemonPart {
    let observation: DaemonObservation
    /// Probes, metrics and status over HTTP.
    let server: OperationsServer

    /// - Parameter collectors: of all parts, in the order of a scrape.
    init(
        _ parts: DaemonParts, _ methods: MethodsPart, _ calls: RPCServer, collectors: [any MetricsCollector],
        _ live: LiveConfiguration
    ) {
        let base = parts.base
        let observation = DaemonObservation(
            services: methods.servicesInForce, server: calls, collectors: collectors,
            writer: base.ledger as? any MeasuredLedger)
        self.observation = observation
        methods.kept.metrics.use { await observation.response }
        server = OperationsServer(
            addresses: base.fixed.operate, withoutCertificates: base.fixed.operateWithoutCertificates,
            rule: observation.rule(live.operate), source: observation.source, tls: parts.listening.tls?.server,
            logger: base.logger)
    }

    var services: [any Service] { [server] }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("operations", follows: [\.operate]) { [observation, server] new in
                { server.use(observation.rule(new.operate)) }
            }
        ]
    }
}
