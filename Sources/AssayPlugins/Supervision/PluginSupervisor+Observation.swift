package import AssayCore
import Synchronization

/// The verdicts that wait for a plugin that observes.
struct ObservedVerdicts {
    /// Verdicts that wait. Those above are dropped.
    static let limit = 1024
    /// Verdicts of one call.
    static let batch = 64

    var waiting: [GivenVerdict] = []
    /// Since the last call that was answered.
    var dropped: UInt64 = 0
    var isRunning = false
}

extension PluginSupervisor {
    /// Hands verdicts to a plugin that observes. Returns at once: what does not fit is dropped and counted.
    package func observe(_ verdicts: [GivenVerdict]) {
        guard entry.observes else { return }
        let wanted = verdicts.filter { entry.apps.contains($0.app) }
        guard !wanted.isEmpty else { return }
        let (dropped, mustRun) = observation.withLock { state in
            let fitting = wanted.prefix(ObservedVerdicts.limit - state.waiting.count)
            state.waiting += fitting
            let dropped = UInt64(wanted.count - fitting.count)
            state.dropped += dropped
            defer { state.isRunning = true }
            return (dropped, !state.isRunning)
        }
        if dropped > 0 { state.withLock { $0.counts.dropped += dropped } }
        guard mustRun else { return }
        Task {
            while let (batch, dropped) = nextBatch() { await hand(batch, dropped) }
        }
    }

    private func nextBatch() -> ([GivenVerdict], dropped: UInt64)? {
        observation.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            let batch = Array(state.waiting.prefix(ObservedVerdicts.batch))
            state.waiting.removeFirst(batch.count)
            defer { state.dropped = 0 }
            return (batch, state.dropped)
        }
    }

    private func hand(_ batch: [GivenVerdict], _ dropped: UInt64) async {
        let call = SupervisedCall(.observe(batch, dropped: dropped))
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<SupervisedCall.Answer, Never>) in
            call.onAnswer { continuation.resume(returning: $0) }
            submit(call)
        }
        guard case .failure = answer else { return }
        // Whether the plugin has seen them is unknown.
        observation.withLock { $0.dropped += dropped + UInt64(batch.count) }
        state.withLock { $0.counts.dropped += UInt64(batch.count) }
    }
}
