import AssayCore
import Synchronization

/// Keeps the verdicts of the app `camera` that it observes.
final class SeenVerdicts: VerdictObserver {
    let seen = Mutex<[GivenVerdict]>([])
    func observes(_ app: AppID) -> Bool { app == .camera }
    func observe(_ verdicts: [GivenVerdict]) { seen.withLock { $0 += verdicts } }
}
