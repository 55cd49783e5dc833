import AssayPhone
import Foundation

/// A clock that stands until a pause is made, which takes no time and moves it.
final class TestTiming: Sendable {
    let now = Locked(Date(timeIntervalSince1970: 1_800_000_000))
    let pauses = Locked<[Duration]>([])
    let chance = Locked(0.5)
    /// Called in each pause. It may cancel.
    let pausing = Locked<@Sendable () async throws -> Void>({})
    /// Whether time limits end at once; otherwise they end when they are cancelled.
    let limitsEnd = Locked(false)

    var timing: Timing {
        Timing(
            now: { self.now.with { $0 } },
            pause: { pause in
                self.pauses.with { $0.append(pause) }
                self.passes(pause)
                try Task.checkCancellation()
                try await self.pausing.with { $0 }()
            },
            limit: { limit in
                if self.limitsEnd.with({ $0 }) { return }
                try await Task.sleep(for: .seconds(3600))
            },
            chance: { self.chance.with { $0 } })
    }

    func passes(_ time: Duration) { now.with { $0 += Double(time.components.seconds) } }
}
