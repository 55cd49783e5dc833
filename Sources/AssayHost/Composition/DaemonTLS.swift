import AssayCore
import AssayRPC
import Logging

/// The daemon's certificate and its callers' CAs, which can be read anew while it runs.
package struct DaemonTLS: Sendable {
    let server: ServerTLS
    private let settings: Configuration.TLS
    private let clock: any WallClock
    private let logger: Logger

    init(_ settings: Configuration.TLS, clock: any WallClock, logger: Logger) throws(StartupError) {
        (self.settings, self.clock, self.logger) = (settings, clock, logger)
        do {
            server = try ServerTLS(TLSFiles(settings, at: clock.now()).credentials) { try RPCPeerNames(certificate: $0) }
        } catch {
            throw StartupError("\(error)")
        }
    }

    /// Reads the files again; connections made from now on are greeted with what they hold. Connections that stand stay as
    /// they are. If anything is wrong nothing changes, and the log says what it was.
    package func reload() {
        do {
            let files = try TLSFiles(settings, at: clock.now())
            try server.replace(with: files.credentials)
            logger.notice("certificates are loaded", metadata: ["certificate": "\(settings.certificate)"])
            for warning in files.warnings { logger.warning("\(warning)") }
        } catch {
            logger.error("certificates stay as they were", metadata: ["error": "\(error)"])
        }
    }
}
