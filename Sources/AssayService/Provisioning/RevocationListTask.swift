package import AssayAPI
package import AssayCore
package import Logging
import Synchronization

/// Keeps the revocation list of each CA current, and publishes it.
package final class RevocationListTask: MaintenanceTask {
    /// Publishes a list under the CA's name, if it is not published already.
    package typealias Publish = @Sendable (_ name: String, _ list: StoredRevocationList) throws -> Void

    private let issuer: RevocationListIssuer
    private let clock: any WallClock
    private let logger: Logger
    private let authority: any CertificateAuthority
    private let publish: Mutex<Publish?>
    private let states = Mutex<[String: State]>([:])

    /// What became of a CA's list in the last period.
    private struct State: Sendable {
        var nextUpdate: Timestamp?
        var problem: String?
    }

    /// - Parameter publish: `nil`: lists are not published as files.
    package init(
        issuer: RevocationListIssuer, authority: any CertificateAuthority, publish: Publish?, clock: any WallClock,
        logger: Logger
    ) {
        (self.issuer, self.authority, self.clock, self.logger) = (issuer, authority, clock, logger)
        self.publish = Mutex(publish)
    }

    /// Follows a new configuration.
    package func use(publish: Publish?) { self.publish.withLock { $0 = publish } }

    /// The CAs as the status shows them.
    package func report() -> [Assay_V1_Authority] {
        let states = states.withLock { $0 }
        return authority.authorities(at: clock.now()).map { facts in
            var message = facts.message
            message.revocationListNextUpdateUnixMs = states[facts.name]?.nextUpdate?.unixMilliseconds ?? 0
            message.revocationListProblem = states[facts.name]?.problem ?? ""
            return message
        }
    }

    package func perform() async throws {
        let publish = publish.withLock { $0 }
        for facts in authority.authorities(at: clock.now()) {
            do {
                guard let list = try await issuer.current(facts.issuer) else { continue }
                states.withLock { $0[facts.name] = State(nextUpdate: list.nextUpdate) }
                try publish?(facts.name, list)
            } catch {
                states.withLock { $0[facts.name, default: State()].problem = "\(error)" }
                // The lists of the other CAs do not depend on this one.
                logger.error(
                    "a revocation list is not renewed or published; this is tried again",
                    metadata: ["ca": "\(facts.name)", "error": "\(error)"])
            }
        }
    }
}
