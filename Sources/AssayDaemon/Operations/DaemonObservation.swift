import AssayAPI
package import AssayConfiguration
import AssayCore
package import AssayMetrics
package import AssayOperations
import AssayRPC
import AssayService
import SwiftProtobuf

/// What the operations address shows of the daemon: everything is read when it is asked for.
package struct DaemonObservation: Sendable {
    private let services: @Sendable () -> ComposedServices
    private let server: RPCServer
    private let writer: (any MeasuredLedger)?
    package let registry: MetricsRegistry

    /// - Parameters:
    ///   - services: those of the configuration in force.
    ///   - writer: the ledger, if it measures itself.
    init(
        services: @escaping @Sendable () -> ComposedServices, server: RPCServer, collectors: [any MetricsCollector],
        writer: (any MeasuredLedger)?
    ) {
        (self.services, self.server, self.writer) = (services, server, writer)
        registry = MetricsRegistry(collectors + (writer.map { [$0] } ?? []))
    }

    /// The caller as which metrics and probes read the status: they show no more than what their own rule permits.
    private static let reader = Caller(name: "operations", roles: [.observe], apps: nil)

    /// Every family that the daemon exposes, in the order of a scrape.
    package var families: [MetricFamily] { [Self.ready] + StatusSubjects.all.flatMap { $0.families } + registry.families }

    private static let ready = MetricFamily(
        "assay_ready", .gauge, "1 if the daemon can do all of its work for callers, as /readyz says it.")

    package var source: OperationsSource {
        OperationsSource(
            liveness: { liveness }, readiness: { await readiness },
            metrics: { format in await metrics(format) }, status: { peer in await status(peer) })
    }

    // MARK: Who may see what

    /// A caller needs the role observe. Metrics are of all apps, so they are not for a caller that is limited to some.
    package func rule(_ settings: OperateSettings) -> OperationsRule {
        func openings(_ open: Set<OperateSettings.Opening>) -> Set<OperationsOpening> {
            Set(open.compactMap { OperationsOpening(rawValue: $0.rawValue) })
        }
        return OperationsRule(
            open: openings(settings.open), openToTheNetwork: openings(settings.openToTheNetwork),
            caller: { [services] peer in
                guard let caller = services().methods.authorizer.caller(behind: peer) else { return nil }
                var grant = OperationsGrant()
                grant.probes = caller.roles.contains(.observe)
                grant.metrics = grant.probes && caller.apps == nil
                grant.details = grant.probes && caller.apps == nil
                grant.status = grant.probes
                return grant
            },
            identify: { [services] peer, credential in
                try? services().methods.authorizer.peer(peer, showing: credential).get()
            })
    }

    // MARK: Answers

    private func status(_ peer: RPCPeer) async -> [UInt8]? {
        let services = services()
        guard let caller = services.methods.authorizer.caller(behind: peer), caller.roles.contains(.observe) else { return nil }
        let status = await services.operations.status(for: caller)
        guard let bytes: [UInt8] = try? status.serializedBytes() else { return nil }
        return try? API.status.json?.writeResponse(bytes)
    }

    private func metrics(_ format: MetricsText) async -> [UInt8] { format.write(await read()) }

    /// As the method `Operations.Metrics` answers it.
    var response: Assay_V1_MetricsResponse {
        get async { Assay_V1_MetricsResponse(await read()) }
    }

    private func read() async -> Exposition {
        let status = await services().operations.status(for: Self.reader)
        var exposition = registry.exposition()
        exposition.declare([Self.ready])
        exposition.add(Self.ready, isTrue: Readiness(status, server.currentPhase).isReady)
        for subject in StatusSubjects.all {
            exposition.declare(subject.families)
            subject.collect(status, into: &exposition)
        }
        return exposition
    }

    package var liveness: Liveness { Liveness(writerBusySeconds: writer?.writerBusySeconds ?? 0) }

    package var readiness: Readiness {
        get async {
            let status = await services().operations.status(for: Self.reader)
            return Readiness(status, server.currentPhase)
        }
    }
}

extension Liveness {
    /// A writer that has been at one transaction for longer does not come back, in seconds. A sync on a slow disk takes a few.
    private static let writerPatience = 60.0

    package init(writerBusySeconds seconds: Double) {
        let isStuck = seconds > Self.writerPatience
        self.init(problem: isStuck ? "the ledger's writer has been at one transaction for \(Int(seconds)) s" : nil)
    }
}
