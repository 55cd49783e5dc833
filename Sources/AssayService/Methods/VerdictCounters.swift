import AssayAPI
package import AssayCore
import AssayRPC
import Synchronization

/// Counts challenges and verdicts since the start, by app, format, decision, reason and assurance.
///
/// The number of counts is bounded: apps are those that the configuration has had since the start, formats those that such an app
/// accepts, reasons the built-in codes. Everything else is counted together.
package final class VerdictCounters: Sendable {
    /// Distinct codes of notes that are counted; any further code counts as `other`. Verifiers have about sixty.
    static let noteLimit = 256
    /// Apps that are counted by themselves. Reloads may exchange apps any number of times.
    static let appLimit = 4096
    /// The label under which things without a count of their own are counted.
    package static let other = "other"
    /// The format of a request with several pieces of evidence.
    package static let several = "several"

    package struct Counts: Hashable, Sendable {
        package var challengesIssued: UInt64 = 0
        package var accepted: UInt64 = 0
        package var repeated: UInt64 = 0
        package var unavailable: UInt64 = 0
        /// Rejections by a built-in code.
        package var rejected: [ReasonCode: UInt64] = [:]
        /// Rejections by any other code, all together: verifiers outside this package may state any number of codes.
        package var rejectedByOtherCodes: UInt64 = 0
        /// Rejections that were answered ACCEPTED; they are in `rejected` too, or in `rejectedByOtherCodes`.
        package var wouldReject: [ReasonCode: UInt64] = [:]
        package var wouldRejectByOtherCodes: UInt64 = 0
        /// Rejections that were answered from memory; they are in `rejected` too.
        package var refusalsRemembered: UInt64 = 0
        /// Requests that a rate limit refused; they are not in `unavailable`.
        package var rateLimited: [LimitedRate: UInt64] = [:]
        /// Notes by their code, in accepted and rejected verdicts.
        package var notes: [String: UInt64] = [:]
    }

    /// The counts of one app. Of an app that is not configured nothing is counted.
    package struct AppCounts: Hashable, Sendable {
        /// Its name, or `other`.
        package let app: String
        /// Challenges by their purpose.
        package fileprivate(set) var challenges: [Purpose: UInt64] = [:]
        /// Look-ups by whether they found something; empty for an app without them.
        package fileprivate(set) var lookups: [Bool: UInt64] = [:]
        package fileprivate(set) var formats: [FormatCounts] = []
        /// The time that its requests took to be judged, summed over the requests, in nanoseconds.
        package fileprivate(set) var nanoseconds: UInt64 = 0
        /// Counts that are zero have series too: the app is one of the configuration.
        package fileprivate(set) var isKnown = false
    }

    /// The verdicts on one format of an app.
    package struct FormatCounts: Hashable, Sendable {
        package let format: String
        /// By the raw value of the assurance.
        package fileprivate(set) var accepted = [UInt64](repeating: 0, count: Assurance.allCases.count)
        package fileprivate(set) var rejected: [ReasonCode: UInt64] = [:]
        package fileprivate(set) var rejectedByOtherCodes: UInt64 = 0
        /// Of the rejections, those that were answered ACCEPTED because the app does not enforce them.
        package fileprivate(set) var wouldReject: [ReasonCode: UInt64] = [:]
        package fileprivate(set) var wouldRejectByOtherCodes: UInt64 = 0
        package fileprivate(set) var repeated: UInt64 = 0
        /// By the reason of the error that answered.
        package fileprivate(set) var unavailable: [String: UInt64] = [:]

        fileprivate init(_ format: String) { self.format = format }
    }

    fileprivate struct State {
        var places: [AppID: Int] = [:]
        var apps: [AppCounts] = []
        var notes: [String: UInt64] = [:]
        var refusalsRemembered: UInt64 = 0
        var rateLimited: [LimitedRate: UInt64] = [:]
    }
    private let state = Mutex(State())

    package init() {}

    /// The sums over all apps.
    package var counts: Counts {
        var counts = Counts()
        let apps = state.withLock { state in
            (counts.notes, counts.rateLimited) = (state.notes, state.rateLimited)
            counts.refusalsRemembered = state.refusalsRemembered
            return state.apps
        }
        for app in apps {
            counts.challengesIssued += app.challenges.values.reduce(0, +)
            for format in app.formats {
                counts.accepted += format.accepted.reduce(0, +)
                counts.repeated += format.repeated
                counts.unavailable += format.unavailable.values.reduce(0, +)
                counts.rejected.merge(format.rejected, uniquingKeysWith: +)
                counts.rejectedByOtherCodes += format.rejectedByOtherCodes
                counts.wouldReject.merge(format.wouldReject, uniquingKeysWith: +)
                counts.wouldRejectByOtherCodes += format.wouldRejectByOtherCodes
            }
        }
        return counts
    }

    /// Rejections of an app that were answered ACCEPTED since the start.
    func wouldReject(of app: AppID) -> UInt64 {
        state.withLock { state in
            guard let place = state.places[app] else { return 0 }
            return state.apps[place].formats.reduce(0) { sum, format in
                format.wouldReject.values.reduce(sum + format.wouldRejectByOtherCodes, +)
            }
        }
    }

    /// In the order in which the apps were first counted.
    package var apps: [AppCounts] { state.withLock { $0.apps } }

    func challengesIssued(_ count: UInt64, _ purpose: Purpose, of app: AppID) {
        state.withLock { state in
            let place = state.place(of: app)
            state.apps[place].challenges[purpose, default: 0] += count
        }
    }

    /// Counts the answer to a look-up.
    func lookedUp(_ app: AppID, found: Bool) {
        state.withLock { state in
            let place = state.place(of: app)
            state.apps[place].lookups[found, default: 0] += 1
        }
    }

    func refusalRemembered() { state.withLock { $0.refusalsRemembered += 1 } }

    /// Counts a request that a rate limit refused.
    func rateLimited(_ limit: RateLimit, of app: AppID) {
        state.withLock { $0.rateLimited[LimitedRate(app: app, limit: limit), default: 0] += 1 }
    }

    /// Begins the counts of an app at zero, so that the first verdict of a kind is seen as a rise.
    ///
    /// - Parameter hasLookups: whether verdicts of the app can be looked up.
    package func know(_ app: AppID, formats: [EvidenceFormat], hasLookups: Bool = false) {
        state.withLock { state in
            let place = state.place(of: app)
            guard state.apps[place].app != Self.other else { return }
            state.apps[place].isKnown = true
            for purpose in Purpose.allCases { state.apps[place].challenges[purpose, default: 0] += 0 }
            if hasLookups { for found in [false, true] { state.apps[place].lookups[found, default: 0] += 0 } }
            for format in formats { state.apps[place].know(format.rawValue) }
        }
    }

    /// Counts a group's answers under one lock.
    ///
    /// - Parameter nanoseconds: the time that each of the group took to be judged.
    func count(_ answers: [Answer], to requests: [AuthorizedRequest], took nanoseconds: UInt64 = 0) {
        state.withLock { state in
            var (profile, app): (AppProfile?, Int) = (nil, 0)
            for (request, answer) in zip(requests, answers) {
                if case .abandoned = answer { continue }
                // Most groups are of one app.
                if profile !== request.profile {
                    profile = request.profile
                    app = state.place(of: request.profile.id)
                }
                if let verdict = answer.verdict { state.count(notesOf: verdict.findings) }
                let format = state.apps[app].place(of: request)
                state.apps[app].formats[format].count(answer)
                state.apps[app].nanoseconds &+= nanoseconds
            }
        }
    }
}

extension VerdictCounters: AnswerFollower {
    package func follow(_ group: inout AnsweredRequests) { count(group.answers, to: group.requests, took: group.nanoseconds) }

    package func follow(_ outcome: ProvisioningOutcome) {
        state.withLock { state in
            let app = state.place(of: outcome.request.app)
            let format = state.apps[app].place(named: EvidenceFormat.fleetDevice.rawValue)
            state.apps[app].formats[format].count(outcome.result)
            state.apps[app].nanoseconds &+= outcome.nanoseconds
        }
    }
}

/// A rate limit of an app of the configuration: a label of counts.
package struct LimitedRate: Hashable, Sendable {
    package let app: AppID
    package let limit: RateLimit
}

extension LimitedRate: Comparable {
    /// By the app's name, then by the limit's.
    package static func < (first: LimitedRate, second: LimitedRate) -> Bool {
        (first.app.text, first.limit.rawValue) < (second.app.text, second.limit.rawValue)
    }
}

extension VerdictCounters.State {
    fileprivate mutating func place(of app: AppID) -> Int {
        if let place = places[app] { return place }
        let isKept = apps.count < VerdictCounters.appLimit
        if !isKept, let last = apps.indices.last, apps[last].app == VerdictCounters.other { return last }
        apps.append(VerdictCounters.AppCounts(app: isKept ? app.text : VerdictCounters.other))
        if isKept { places[app] = apps.count - 1 }
        return apps.count - 1
    }

    fileprivate mutating func count(notesOf findings: [Finding]) {
        // By index: an iterator would copy each finding.
        for index in findings.indices where findings[index].outcome == .note {
            let code = findings[index].code
            // Nearly every code has been counted before: one look-up under the shared lock.
            if let known = notes.index(forKey: code) {
                notes.values[known] += 1
            } else {
                notes[notes.count < VerdictCounters.noteLimit ? code : VerdictCounters.other, default: 0] += 1
            }
        }
    }
}

extension VerdictCounters.AppCounts {
    /// The counts of the request's format. A caller may name any format: one that the app does not accept has none of its own.
    fileprivate mutating func place(of request: AuthorizedRequest) -> Int {
        let evidence = request.request.evidence
        guard evidence.count == 1, let only = evidence.first else { return place(named: VerdictCounters.several) }
        if let known = counted(only.format.rawValue) { return known }
        let isAccepted = request.profile.verifiers[only.format] != nil
        return place(named: isAccepted ? only.format.rawValue : VerdictCounters.other)
    }

    fileprivate mutating func know(_ format: String) { _ = place(named: format) }

    fileprivate mutating func place(named name: String) -> Int {
        if let known = counted(name) { return known }
        formats.append(VerdictCounters.FormatCounts(name))
        return formats.count - 1
    }

    /// The place of a format that was counted before. By index: an iterator would copy the counts of each.
    private func counted(_ name: String) -> Int? {
        for index in formats.indices where formats[index].format == name { return index }
        return nil
    }
}

extension VerdictCounters.FormatCounts {
    fileprivate mutating func count(_ answer: Answer) {
        switch answer {
        case .verdict(let verdict), .completed(let verdict, _):
            switch verdict.decision {
            case .accepted(let assurance): accepted[Int(assurance.rawValue)] += 1
            case .rejected(let rejection, _): count(rejection)
            }
        case .reported(let reported):
            guard case .rejected(let rejection, _) = reported.verdict.decision else { return }
            count(rejection)
            if let code = rejection.code.builtIn { wouldReject[code, default: 0] += 1 } else { wouldRejectByOtherCodes += 1 }
        case .repeated: repeated += 1
        case .failed(let error): count(error)
        case .abandoned: break
        }
    }

    fileprivate mutating func count(_ result: ProvisioningOutcome.Result) {
        switch result {
        case .provisioned(let assurance): accepted[Int(assurance.rawValue)] += 1
        case .repeated: repeated += 1
        case .refused(let rejection, _, _): count(rejection)
        case .failed(let error): count(error)
        }
    }

    private mutating func count(_ rejection: Rejection) {
        if let code = rejection.code.builtIn { rejected[code, default: 0] += 1 } else { rejectedByOtherCodes += 1 }
    }

    private mutating func count(_ error: PipelineError) {
        switch error {
        // Counted where the limit refused it.
        case .rateLimited: return
        // The caller's own, as any call that is not as it should be: counted with the calls of the method.
        case .upload: return
        default: break
        }
        unavailable[error.reason, default: 0] += 1
    }
}

extension PipelineError {
    /// The reason of the answer, as a bounded label.
    fileprivate var reason: String { RPCError(self).reason }
}
