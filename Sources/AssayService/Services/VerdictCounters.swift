package import AssayCore
import Synchronization

/// Counts what was answered since the start.
package final class VerdictCounters: Sendable {
    /// Codes of notes that are counted each by itself; those of any beyond count as `otherNotes`. Verifiers have some sixty.
    static let noteLimit = 256
    static let otherNotes = "other"

    package struct Counts: Hashable, Sendable {
        package var challengesIssued: UInt64 = 0
        package var accepted: UInt64 = 0
        package var repeated: UInt64 = 0
        package var unavailable: UInt64 = 0
        package var rejected: [ReasonCode: UInt64] = [:]
        /// Notes by their code, in accepted and rejected verdicts.
        package var notes: [String: UInt64] = [:]
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
                    counts.count(notesOf: verdict.findings)
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

extension VerdictCounters.Counts {
    fileprivate mutating func count(notesOf findings: [Finding]) {
        // By index: an iterator would hand out a copy of each finding on the way.
        for index in findings.indices where findings[index].outcome == .note {
            let code = findings[index].code
            // Nearly every code has been met: found once, under the lock of all.
            if let known = notes.index(forKey: code) {
                notes.values[known] += 1
            } else {
                notes[notes.count < VerdictCounters.noteLimit ? code : VerdictCounters.otherNotes, default: 0] += 1
            }
        }
    }
}
