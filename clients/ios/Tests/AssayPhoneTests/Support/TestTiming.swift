import AssayPhone
import Foundation

/// A clock that stands until a pause is made, which takes no time and moves it.
final class TestTiming: Sendable {
    let now = Locked(Date(timeIntervalSince1970: 1_800_000_000))
    let pauses = Locked<[Duration]>([])
    let chance = Locked(0.5)
    /// Called in each pause. It may cancel.
    let pausing = Locked<@Sendable () async throws -> Void>({})
    /// Whether a time limit that is running ends now; otherwise it ends when it is cancelled.
    let limitEnds = Locked<@Sendable () -> Bool>({ false })

    var timing: Timing {
        Timing(
            now: { self.now.with { $0 } },
            pause: { pause in
                self.pauses.with { $0.append(pause) }
                self.passes(pause)
                try Task.checkCancellation()
                try await self.pausing.with { $0 }()
            },
            limit: { _ in
                while !self.limitEnds.with({ $0 })() { try await Task.sleep(for: .milliseconds(1)) }
            },
            chance: { self.chance.with { $0 } })
    }

    func passes(_ time: Duration) { now.with { $0 += Double(time.components.seconds) } }
}
