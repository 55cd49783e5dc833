import AssayCommandLine
import AssayCore
import AssayLoad
import Synchronization

/// The line that shows a load while it is prepared and while it runs. Calls come from any thread.
final class BenchProgress: Sendable {
    private struct State {
        var line = ProgressLine()
        var drawnAt: ContinuousClock.Instant?
    }

    /// Between two drawings of a step.
    private static let period = Duration.milliseconds(100)
    private let state = Mutex(State())

    func show(_ step: String, _ done: Int, _ total: Int) {
        state.withLock { state in
            let now = ContinuousClock.now
            guard done == total || state.drawnAt.map({ now - $0 >= Self.period }) ?? true else { return }
            state.drawnAt = now
            state.line.show("\(step): \(done) of \(total)")
        }
    }

    func show(_ progress: LoadProgress) {
        let time = "\(Int(max(0, progress.time.seconds))) s of \(progress.total.seconds.decimals(1)) s"
        var parts = [
            (progress.isWarmingUp ? "warming up, " : "") + time, "\(progress.rate.decimals(0))/s",
            "p99 \(progress.p99.milliseconds.decimals(1)) ms", "\(progress.inFlight) in flight",
        ]
        if progress.unexpected > 0 { parts.append("\(progress.unexpected) not as expected") }
        if progress.notSent > 0 { parts.append("\(progress.notSent) not sent") }
        state.withLock { $0.line.show(parts.joined(separator: "  ")) }
    }

    func end() { state.withLock { $0.line.end() } }
}
