import AssayAPI
package import AssayConfiguration
import AssayCore
import AssayFramedRPC
import AssayHTTP
import AssayListening
import AssayOperations
import AssayRPC
import AssayService
import Logging

/// The daemon's certificate and its callers' CAs, which can be read again while it runs.
package struct DaemonTLS: Sendable {
    let server: ServerTLS
    private let clock: any WallClock
    private let logger: Logger
    private let ends: CertificateEnd.Slot

    /// - Parameter ends: told when the certificates in use end.
    init(_ settings: TLSSettings, clock: any WallClock, logger: Logger, ends: CertificateEnd.Slot) throws(StartupError) {
        (self.clock, self.logger, self.ends) = (clock, logger, ends)
        do {
            let files = try TLSFiles(settings, at: clock.now())
            ends.value = files.ends
            server = try ServerTLS(
                files.credentials, for: [FramedServer.offer, HTTPServer.offer, OperationsServer.offer],
                clock: { clock.now().unixMilliseconds },
                naming: { try RPCPeerNames(certificate: $0) })
        } catch {
            throw StartupError("\(error)")
        }
    }

    /// Reads the files of a section and makes ready what exchanges them for those in use; throws why they cannot be used, and
    /// then nothing has changed. Connections that are made after the exchange see the new ones; those that stand end soon if a
    /// CA of callers was taken out, and else stay as they are.
    package func prepare(_ settings: TLSSettings) throws -> @Sendable () -> Void {
        let files = try TLSFiles(settings, at: clock.now())
        let exchange = try server.prepare(files.credentials)
        return { [logger, ends] in
            let removed = exchange()
            ends.value = files.ends
            logger.notice("certificates are loaded", metadata: ["certificate": "\(settings.certificate)"])
            if removed > 0 {
                logger.notice(
                    "connections end that stood when CAs of callers were taken out", metadata: ["authorities": "\(removed)"])
            }
            for warning in files.warnings { logger.warning("\(warning.text)") }
        }
    }
}
