package import AssayHTTP
package import AssayOperations
import AssayService
import ServiceLifecycle
import Synchronization

/// Keeps what `grpc.health.v1` answers true: asks for the readiness each second, and more often while there is something wrong, and says of each service whether it does its work.
///
/// The readiness is made of many states, and few of them tell when they change; making it takes less than a millisecond of work, as for a probe
/// of `/readyz`. A question that stays without an answer says something too: the ledger hangs.
package final class HealthFeed: Service {
    /// Between two questions.
    static let period = Duration.seconds(1)
    /// Between two questions while something keeps the daemon from its work, as at the start.
    static let shortPeriod = Duration.milliseconds(100)
    /// How long a question may stay without an answer before the ledger counts as one that gives none.
    static let patience = Duration.seconds(5)

    private let register: HealthRegister
    private let readiness: @Sendable () async -> Readiness
    /// When the question was asked that has no answer yet.
    private let asked = Mutex<ContinuousClock.Instant?>(nil)

    package init(_ register: HealthRegister, readiness: @escaping @Sendable () async -> Readiness) {
        (self.register, self.readiness) = (register, readiness)
    }

    /// When it ends, nothing is serving any more, for good: nothing keeps the register true.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await Self.eachPeriod { await self.ask() ? Self.period : Self.shortPeriod } }
                group.addTask {
                    await Self.eachPeriod {
                        self.look(at: .now)
                        return Self.period
                    }
                }
            }
        }
        register.stop()
    }

    /// - Parameter step: returns the time until the next one.
    private static func eachPeriod(_ step: @Sendable () async -> Duration) async {
        while !Task.isCancelled {
            let period = await step()
            do { try await Task.sleep(for: period) } catch { return }
        }
    }

    /// Asks once, and says what the answer means. True: the daemon is ready.
    @discardableResult
    func ask() async -> Bool {
        asked.withLock { $0 = .now }
        let readiness = await readiness()
        asked.withLock { asked in
            asked = nil
            say(readiness)
        }
        return readiness.isReady
    }

    /// Says that the ledger gives no answer if the question waits for longer than it may.
    func look(at now: ContinuousClock.Instant) {
        // Under the lock, so that it is never said after an answer.
        asked.withLock { asked in
            guard let asked, asked.duration(to: now) > Self.patience else { return }
            say(Readiness(causes: [.init(code: AttentionCode.storeUnavailable.rawValue, message: "no answer")]))
        }
    }

    private func say(_ readiness: Readiness) { register.set(readiness.serving(register.services)) }
}

extension Readiness {
    /// Which of the services do their work, by their full protobuf names, and whether the whole server does, by the empty name: if each of its
    /// services does.
    ///
    /// A cause of one app stops no service: those of other apps are served.
    package func serving(_ services: [String]) -> [String: Bool] {
        let codes = causes.filter { $0.app.isEmpty }.map(\.code)
        var serving: [String: Bool] = [:]
        for service in services { serving[service] = !codes.contains { Self.stops(service, because: $0) } }
        serving[""] = serving.values.allSatisfy { $0 }
        return serving
    }

    /// Services whose methods need the ledger. Of the others at least some answer without it.
    static let servicesOfTheLedger: Set<String> = [
        "assay.v1.Attestation", "assay.v1.Devices", "assay.v1.Provisioning", "assay.v1.Audit", "assay.v1.Keys",
    ]
    /// Services that issue challenges and judge evidence.
    static let judgingServices: Set<String> = ["assay.v1.Attestation", "assay.v1.Provisioning"]
    /// What is asked how the daemon is.
    static let operations = "assay.v1.Operations"

    private static func stops(_ service: String, because code: String) -> Bool {
        // `starting` and `stopping`: no calls are taken.
        guard let code = AttentionCode(rawValue: code) else { return true }
        switch code {
        case .storeUnavailable, .storeDamaged, .storeReplaced: return servicesOfTheLedger.contains(service)
        case .noChallenges, .evidenceMemoryFull, .feedMissing, .feedOutdated, .pluginNotReady, .appUnavailable:
            return judgingServices.contains(service)
        // No caller connects with TLS.
        case .certificateExpired: return service != operations
        case .diskLow, .reloadRefused, .feedNotRefreshed, .certificateExpiresSoon, .issuingUnavailable, .authorityExpiresSoon,
            .revocationListNotRefreshed, .pluginQuarantine, .recordsUnavailable, .webhookFailing, .resultKeyUnavailable,
            .resultKeyEndsSoon, .resultKeyMissing, .statusListsNotRefreshed,
            .verdictsNotEnforced:
            return false
        }
    }
}
