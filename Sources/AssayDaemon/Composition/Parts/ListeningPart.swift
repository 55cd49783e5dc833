import AssayAPI
import AssayConfiguration
import AssayFramedRPC
import AssayMetrics
import AssayRPC
import Foundation

/// Where callers connect: the fronts and their certificates, and what the calls of all fronts share.
struct ListeningPart: DaemonPart {
    let fronts: [any RPCFront]
    let serving: ServingState
    /// `nil` without a section `tls`.
    let tls: DaemonTLS?
    /// When the certificates in use end.
    let certificates = CertificateEnd.Slot()

    /// Throws `StartupError` if the certificates cannot be used. Nothing listens before the server starts.
    init(_ base: DaemonBase, _ live: LiveConfiguration) throws(StartupError) {
        let (fixed, logger) = (base.fixed, base.logger)
        if let settings = live.tls {
            tls = try DaemonTLS(settings, clock: base.clock, logger: logger, ends: certificates)
        } else {
            tls = nil
        }
        // Event loops only move bytes. One for four processors keeps up with the workers, and what waits while it works comes
        // in one read and leaves in one write.
        let eventLoops = max(1, ProcessInfo.processInfo.activeProcessorCount / 4)
        fronts = [
            FramedServer(
                addresses: fixed.listen, limits: fixed.limits.framed, connections: fixed.limits.connections, logger: logger,
                threads: eventLoops, tls: tls?.server, withoutCertificates: fixed.withoutCertificates)
        ]
        serving = ServingState(fixed.limits.calls, processors: FramedServer.processors, logger: logger)
    }

    /// The counts of calls and of the fronts' connections.
    var statistics: @Sendable () -> RPCStatistics { { [serving, fronts] in serving.statistics(with: fronts) } }

    var reloadSteps: [ReloadStep] {
        guard let tls else { return [] }
        return [
            ReloadStep("certificates", follows: [\.tls]) { new in
                guard let settings = new.tls else { return {} }
                return try tls.prepare(settings)
            }
        ]
    }
    var collectors: [any MetricsCollector] { [TrafficMetrics(statistics: statistics)] }
}
