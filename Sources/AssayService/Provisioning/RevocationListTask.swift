package import AssayAPI
package import AssayCore
package import Logging
import ServiceLifecycle
import Synchronization

/// Keeps the revocation list of each CA current, and publishes it: when something was revoked, and in every period of maintenance.
///
/// It works one request after the other while it runs. Requests that come meanwhile are one, and the next work begins ``pause`` after the
/// last at the earliest, so that a thousand revocations do not make a thousand lists.
package final class RevocationListTask: MaintenanceTask, Service {
    /// Publishes a list under the CA's name, if it is not published already.
    package typealias Publish = @Sendable (_ name: String, _ list: StoredRevocationList) throws -> Void

    private let issuer: RevocationListIssuer
    private let clock: any WallClock
    private let logger: Logger
    private let authority: any CertificateAuthority
    private let publish: Mutex<Publish?>
    private let states = Mutex<[String: State]>([:])
    private let pause: Duration
    private let requests: AsyncStream<Void>
    private let request: AsyncStream<Void>.Continuation

    /// What became of a CA's list in the last period.
    private struct State: Sendable {
        var nextUpdate: Timestamp?
        var problem: String?
    }

    /// - Parameter publish: `nil`: lists are not published as files.
    package init(
        issuer: RevocationListIssuer, authority: any CertificateAuthority, publish: Publish?, pause: Duration = .seconds(1),
        clock: any WallClock, logger: Logger
    ) {
        (requests, request) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.pause = pause
        (self.issuer, self.authority, self.clock, self.logger) = (issuer, authority, clock, logger)
        self.publish = Mutex(publish)
    }

    /// Follows a new configuration.
    package func use(publish: Publish?) {
        self.publish.withLock { $0 = publish }
        wake()
    }

    /// Asks for current lists: something was revoked, or the CAs are others. Never waits.
    package func wake() { request.yield() }

    package func perform() async throws { wake() }

    /// Works until graceful shutdown. What was revoked last before it is published at the next start.
    package func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.requests {
                await self.renew()
                guard (try? await Task.sleep(for: self.pause)) != nil else { return }
            }
        }
    }

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

    private func renew() async {
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
