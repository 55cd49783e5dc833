package import AssayCore
import Synchronization

/// Counts what was answered since the start.
package final class Traffic: Sendable {
    package struct Counts: Hashable, Sendable {
        package var challengesIssued: UInt64 = 0
        package var accepted: UInt64 = 0
        package var repeated: UInt64 = 0
        package var unavailable: UInt64 = 0
        package var rejected: [ReasonCode: UInt64] = [:]
    }
    private let state = Mutex(Counts())

    package init() {}

    package var counts: Counts { state.withLock { $0 } }

    func challengeIssued() { state.withLock { $0.challengesIssued += 1 } }

    /// Counts a group's answers under one lock.
    func count(_ answers: [Answer]) {
        state.withLock { counts in
            for answer in answers {
                switch answer {
                case .verdict(let verdict):
                    switch verdict.decision {
                    case .accepted: counts.accepted += 1
                    case .rejected(let rejection, _): counts.rejected[rejection.code, default: 0] += 1
                    }
                case .repeated: counts.repeated += 1
                case .failed: counts.unavailable += 1
                case .abandoned: continue
                }
            }
        }
    }
}
