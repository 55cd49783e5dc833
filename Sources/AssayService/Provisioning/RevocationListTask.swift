package import AssayCore
package import Logging
import Synchronization

/// Keeps the revocation list of each CA current, and publishes it.
package final class RevocationListTask: MaintenanceTask {
    /// Publishes a list under the CA's name, if it is not published already.
    package typealias Publish = @Sendable (_ name: String, _ list: StoredRevocationList) throws -> Void

    private struct Settings {
        var authority: any CertificateAuthority
        var publish: Publish?
    }

    private let issuer: RevocationListIssuer
    private let clock: any WallClock
    private let logger: Logger
    private let settings: Mutex<Settings>

    /// - Parameter publish: `nil`: lists are not published as files.
    package init(
        issuer: RevocationListIssuer, authority: any CertificateAuthority, publish: Publish?, clock: any WallClock, logger: Logger
    ) {
        (self.issuer, self.clock, self.logger) = (issuer, clock, logger)
        settings = Mutex(Settings(authority: authority, publish: publish))
    }

    /// Follows a new configuration.
    package func use(_ authority: any CertificateAuthority, publish: Publish?) {
        settings.withLock { $0 = Settings(authority: authority, publish: publish) }
    }

    package func perform() async throws {
        let (authority, publish) = settings.withLock { ($0.authority, $0.publish) }
        for facts in authority.authorities(at: clock.now()) {
            do {
                guard let list = try await issuer.current(facts.issuer) else { continue }
                try publish?(facts.name, list)
            } catch {
                // The lists of the other CAs do not depend on this one.
                logger.error(
                    "a revocation list is not renewed or published; this is tried again",
                    metadata: ["ca": "\(facts.name)", "error": "\(error)"])
            }
        }
    }
}
