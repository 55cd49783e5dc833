import AssayAPI
package import AssayCore
package import AssayRPC
import Synchronization

/// Counts challenges and verdicts since the start.
package final class VerdictCounters: Sendable {
    /// Distinct codes of notes that are counted; any further code counts as `other`. Verifiers have about sixty.
    static let noteLimit = 256
    /// The label under which codes without a count of their own are counted.
    static let otherNotes = "other"

    package struct Counts: Hashable, Sendable {
        package var challengesIssued: UInt64 = 0
        package var accepted: UInt64 = 0
        package var repeated: UInt64 = 0
        package var unavailable: UInt64 = 0
        /// Rejections by a built-in code.
        package var rejected: [ReasonCode: UInt64] = [:]
        /// Rejections by any other code, all together: verifiers outside this package may state any number of codes.
        package var rejectedByOtherCodes: UInt64 = 0
        /// Rejections that were answered from memory; they are in `rejected` too.
        package var refusalsRemembered: UInt64 = 0
        /// Requests that a rate limit refused.
        package var rateLimited: [LimitedRate: UInt64] = [:]
        /// Notes by their code, in accepted and rejected verdicts.
        package var notes: [String: UInt64] = [:]
    }
    private let state = Mutex(Counts())

    package init() {}

    package var counts: Counts { state.withLock { $0 } }

    func challengeIssued() { state.withLock { $0.challengesIssued += 1 } }

    func refusalRemembered() { state.withLock { $0.refusalsRemembered += 1 } }

    /// Counts a request that a rate limit refused. Such a request is not among `unavailable`.
    func rateLimited(_ limit: RateLimit, of app: AppID) {
        state.withLock { $0.rateLimited[LimitedRate(app: app, limit: limit), default: 0] += 1 }
    }

    /// Counts a group's answers under one lock.
    func count(_ answers: [Answer]) {
        state.withLock { counts in
            for answer in answers {
                switch answer {
                case .verdict(let verdict):
                    counts.count(notesOf: verdict.findings)
                    switch verdict.decision {
                    case .accepted: counts.accepted += 1
                    case .rejected(let rejection, _): counts.count(rejection.code)
                    }
                case .completed(let verdict, _):
                    counts.count(notesOf: verdict.findings)
                    counts.accepted += 1
                case .repeated: counts.repeated += 1
                case .failed(.rateLimited): continue
                case .failed: counts.unavailable += 1
                case .abandoned: continue
                }
            }
        }
    }
}

/// A rate limit of an app of the configuration: a label of counts.
package struct LimitedRate: Hashable, Sendable {
    package let app: AppID
    package let limit: RateLimit
}

extension VerdictCounters.Counts {
    fileprivate mutating func count(_ code: FailureCode) {
        if let code = code.builtIn { rejected[code, default: 0] += 1 } else { rejectedByOtherCodes += 1 }
    }

    fileprivate mutating func count(notesOf findings: [Finding]) {
        // By index: an iterator would copy each finding.
        for index in findings.indices where findings[index].outcome == .note {
            let code = findings[index].code
            // Nearly every code has been counted before: one look-up under the shared lock.
            if let known = notes.index(forKey: code) {
                notes.values[known] += 1
            } else {
                notes[notes.count < VerdictCounters.noteLimit ? code : VerdictCounters.otherNotes, default: 0] += 1
            }
        }
    }
}

/// Counts the calls of each method since the start, also over reloads. Calls that the transport refuses before they reach a method
/// are in `RPCStatistics`.
package final class CallCounters: Sendable {
    package struct Counts: Hashable, Sendable {
        package internal(set) var calls: UInt64 = 0
        /// Calls that were answered by an error, by its code.
        package internal(set) var failures: [RPCStatusCode: UInt64] = [:]
    }

    /// Of one method.
    final class Counter: Sendable {
        private let calls = Atomic<UInt64>(0)
        private let failures = Mutex<[RPCStatusCode: UInt64]>([:])

        func began(_ count: Int) { calls.wrappingAdd(UInt64(count), ordering: .relaxed) }

        func failed(_ code: RPCStatusCode) { failures.withLock { $0[code, default: 0] += 1 } }

        var counts: Counts { Counts(calls: calls.load(ordering: .relaxed), failures: failures.withLock { $0 }) }
    }

    /// In the order of `MethodDeclaration.all`.
    let counters = MethodDeclaration.all.map { _ in Counter() }

    package init() {}

    /// By the path of the method.
    package var counts: [String: Counts] {
        Dictionary(
            zip(MethodDeclaration.all, counters).map { ($0.path, $1.counts) }, uniquingKeysWith: { first, _ in first })
    }
}
