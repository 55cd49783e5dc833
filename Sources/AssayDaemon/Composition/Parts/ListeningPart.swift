import AssayAPI
import AssayConfiguration
import AssayFramedRPC
import AssayHTTP
import AssayMetrics
import AssayRPC
import Foundation

/// Where callers connect: the fronts and their certificates, and what the calls of all fronts share.
struct ListeningPart: DaemonPart {
    /// The framed front and that of HTTP; each only if an address speaks its protocol.
    let fronts: [any RPCFront]
    /// The addresses as the configuration has them, in the order of the fronts.
    let addresses: [ListenAddress]
    let serving: ServingState
    /// What `grpc.health.v1` answers; `nil`: it is not served.
    let health: HealthRegister?
    /// `nil` without a section `tls`.
    let tls: DaemonTLS?
    /// When the certificates in use end.
    let certificates = CertificateEnd.Slot()

    /// Throws `StartupError` if the certificates cannot be used. Nothing listens before the server starts.
    ///
    /// - Parameter resources: what GET reads over HTTP, beside the calls.
    init(_ base: DaemonBase, _ live: LiveConfiguration, resources: [any HTTPResource] = []) throws(StartupError) {
        let (fixed, logger) = (base.fixed, base.logger)
        if let settings = live.tls {
            tls = try DaemonTLS(settings, clock: base.clock, logger: logger, ends: certificates)
        } else {
            tls = nil
        }
        // Under load event loops only move bytes. One for four processors keeps up with the workers, and what waits while it works
        // comes in one read and leaves in one write.
        let eventLoops = max(1, ProcessInfo.processInfo.activeProcessorCount / 4)
        let (framed, http) = (fixed.listen.speaking(.framed), fixed.listen.speaking(.http))
        health = !http.isEmpty && fixed.http.servesHealth ? HealthRegister() : nil
        var fronts: [any RPCFront] = []
        if !framed.isEmpty {
            fronts.append(
                FramedServer(
                    addresses: framed.addresses, limits: fixed.limits.framed, connections: fixed.limits.connections,
                    logger: logger, threads: eventLoops, tls: tls?.server, withoutCertificates: framed.withoutCertificates))
        }
        if !http.isEmpty {
            fronts.append(
                HTTPServer(
                    addresses: http.addresses, limits: fixed.httpLimits, connections: fixed.limits.connections,
                    settings: fixed.http, logger: logger, threads: eventLoops, tls: tls?.server,
                    withoutCertificates: http.withoutCertificates, resources: resources,
                    health: health ?? HealthRegister()))
        }
        (self.fronts, addresses) = (fronts, framed + http)
        serving = ServingState(fixed.limits.calls, processors: FramedServer.processors, logger: logger)
    }

    /// The counts of calls and of the fronts' connections.
    var statistics: @Sendable () -> RPCStatistics { { [serving, fronts] in serving.statistics(with: fronts) } }

    /// Where the fronts listen, by what they told when they started: with the ports that the system chose.
    func opened(_ started: [RPCAddress]) -> [ListenAddress] {
        zip(addresses, started).map { configured, address in
            ListenAddress(address, speaks: configured.speaks, withoutCertificates: configured.withoutCertificates)
        }
    }

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
