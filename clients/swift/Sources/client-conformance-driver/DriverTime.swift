import AssayClient
import Synchronization

/// The clock of a client under test, which remembers its pauses. A fake one does not wait: each pause puts it forward.
final class DriverTime: Sendable {
    private struct State {
        var ahead = Duration.zero
        var waits: [Double] = []
    }

    private let isFake: Bool
    private let chance: Double
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(isFake: Bool, chance: Double) { (self.isFake, self.chance) = (isFake, chance) }

    /// In seconds.
    var waits: [Double] { state.withLock { $0.waits } }

    var clientTime: ClientTime {
        ClientTime(
            now: { ContinuousClock.now - self.start + self.state.withLock { $0.ahead } },
            sleep: { pause in
                self.state.withLock { state in
                    state.waits.append(pause / .seconds(1))
                    if self.isFake { state.ahead += pause }
                }
                if !self.isFake { try await Task.sleep(for: pause) }
            },
            chance: { self.chance })
    }
}
