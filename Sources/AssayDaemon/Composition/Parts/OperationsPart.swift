import AssayConfiguration
import AssayMetrics
import AssayOperations
import AssayRPC
import AssayService
import ServiceLifecycle

/// The operations address, what it shows of the daemon, and what load balancers are told over HTTP.
struct OperationsPart: DaemonPart {
    let observation: DaemonObservation
    /// Probes, metrics and status over HTTP.
    let server: OperationsServer
    /// Keeps what `grpc.health.v1` answers; `nil`: it is not served.
    let health: HealthFeed?

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
        health = parts.listening.health.map { HealthFeed($0) { await observation.readiness } }
    }

    var services: [any Service] { [server as any Service] + (health.map { [$0] } ?? []) }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("operations", follows: [\.operate]) { [observation, server] new in
                { server.use(observation.rule(new.operate)) }
            }
        ]
    }
}
