import AssayConfiguration
import AssayMetrics
import AssayPlugins
import AssayRPC
import AssayService
import Foundation
import Logging

/// The methods of the configuration in force, composed over what the other parts keep.
struct MethodsPart: DaemonPart {
    let kept: KeptByMethods
    private let composed: ComposedMethods
    private let parts: DaemonParts

    /// Composes the methods, and again whenever a plugin describes itself in another way.
    init(_ parts: DaemonParts, _ live: LiveConfiguration) {
        kept = KeptByMethods(logger: parts.base.logger)
        let composed = ComposedMethods(parts, kept, live)
        (self.parts, self.composed) = (parts, composed)
        parts.plugins.supervised.onChange = { _ in composed.follow() }
        // What was said before anything followed it.
        composed.follow()
    }

    /// What the fronts call.
    var methods: ReloadableMethods { composed.methods }

    /// The services as the configuration in force has them.
    var servicesInForce: @Sendable () -> ComposedServices { { [composed] in composed.services } }

    var reloadSteps: [ReloadStep] {
        [
            // After the plugins, whose supervisors the methods refer to.
            ReloadStep(
                "callers, apps and anchors", follows: [\.callers, \.rates, \.apps, \.testRoots, \.plugins, \.schemes, \.digest]
            ) { [parts, composed] new in
                try await parts.keepPolicies(of: new)
                return { composed.compose(under: new) }
            }
        ]
    }
    var collectors: [any MetricsCollector] { [kept.counters, kept.stages, kept.measures, kept.results, kept.calls] }
}

/// What the methods count, limit and log, over all configurations.
struct KeptByMethods: Sendable {
    let requestLog: RequestLog
    let attempts = ChallengeAttempts()
    /// For the methods that take turns, all callers together: one place for four processors, so that verdicts keep the others.
    let limiter = ConcurrencyLimiter(places: ProcessInfo.processInfo.activeProcessorCount / 4)
    let counters = VerdictCounters()
    /// The calls of each method.
    let calls = CallCounters()
    let stages = StageTimes()
    let measures = EvidenceMeasures()
    /// The results that were signed.
    let results = ResultCounters()
    let sessions = SessionTokenCounts()
    /// What the method that reads the metrics answers.
    let metrics = MetricsSource()

    init(logger: Logger) { requestLog = RequestLog(logger: logger) }
}
