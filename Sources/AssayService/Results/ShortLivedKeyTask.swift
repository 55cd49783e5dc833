package import AssayCore
package import AssayResults
import AssaySigning
package import Logging
import ServiceLifecycle

/// Keeps a key in this daemon's memory for each key of results that certifies such keys. It signs results in place of that key, and is exchanged at
/// half of its certificate's life: while the certifying key cannot be used, it signs on for the other half. No private key leaves the memory.
package final class ShortLivedKeyTask: Service {
    private let ring: ResultKeyRing
    private let clock: any WallClock
    private let logger: Logger
    private let looks: RepeatedLook

    /// - Parameter period: between looks at the keys: so long after a token is back its key certifies at the latest.
    package init(ring: ResultKeyRing, period: Duration = .seconds(20), clock: any WallClock, logger: Logger) {
        looks = RepeatedLook(every: period)
        (self.ring, self.clock, self.logger) = (ring, clock, logger)
    }

    /// Looks at the keys soon: they are others.
    package func wake() { looks.wake() }

    /// Looks at the keys until graceful shutdown.
    package func run() async {
        wake()
        await looks.run { await self.renew() }
    }

    /// Certifies the first keys, so that results can be signed when the daemon answers. A token is waited for no longer than `limit`.
    package func prepare(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.renew() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// A key in memory, and the one that certified it.
    package struct Certified: Sendable {
        fileprivate let shortLived: ResultKey
        fileprivate let key: ResultKey
    }

    private enum Attempt: Sendable {
        case certified(Certified)
        case failed
        case late
    }

    /// Certifies keys under those of a configuration that is not in force yet and that have none, for ``use(_:)``: so no result is refused when it
    /// takes effect. Leaves out what fails, or takes longer than `limit`; a later look makes it good.
    package func certify(under keys: [ResultKey], within limit: Duration) async -> [Certified] {
        let lacking = keys.filter { $0.certification != nil && ring.shortLived(under: $0)?.issuer != $0.issuer }
        guard !lacking.isEmpty else { return [] }
        let now = clock.now()
        return await withTaskGroup(of: Attempt.self) { group in
            for key in lacking {
                group.addTask {
                    guard let shortLived = try? await key.shortLived(at: now) else { return .failed }
                    return .certified(Certified(shortLived: shortLived, key: key))
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .late
            }
            var (certified, waiting): ([Certified], Int) = ([], lacking.count)
            while waiting > 0, let attempt = await group.next() {
                switch attempt {
                case .certified(let made): (certified, waiting) = (certified + [made], waiting - 1)
                case .failed: waiting -= 1
                case .late: waiting = 0
                }
            }
            group.cancelAll()
            return certified
        }
    }

    /// Lets keys sign whose configuration is in force now.
    package func use(_ certified: [Certified]) {
        for made in certified { ring.use(made.shortLived, under: made.key) }
    }

    /// Exchanges each key that is due. A failure leaves the one before, and is made good by a later look.
    package func renew() async {
        let now = clock.now()
        for key in ring.certifying(at: now) where ring.shortLived(under: key)?.isDue(under: key, at: now) ?? true {
            await renew(under: key, at: now)
        }
    }

    private func renew(under key: ResultKey, at now: Timestamp) async {
        let before = ring.problem(of: key, at: now) ?? ring.renewalProblem(of: key, at: now)
        var place: Logger.Metadata = ["issuer": "\(key.issuer.address)", "kid": "\(Base64.url.encode(key.identifier))"]
        do throws(SigningError) {
            guard let shortLived = try await key.shortLived(at: now) else { return }
            ring.use(shortLived, under: key)
            if let end = shortLived.certificate?.notAfter { place["until"] = "\(end)" }
            logger.info("a key in memory is certified to sign results", metadata: place)
        } catch {
            ring.note(error.description, of: key)
            let problem = ring.problem(of: key, at: now) ?? ring.renewalProblem(of: key, at: now)
            guard problem != before else { return }
            place["problem"] = "\(problem ?? error.description)"
            logger.warning("no key in memory is certified to sign results", metadata: place)
        }
    }
}
