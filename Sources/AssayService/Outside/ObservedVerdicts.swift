import AssayAPI
package import AssayCore

/// Hands the verdicts of a group of requests to those who observe them, once they are decided.
package struct ObservedVerdicts: Sendable {
    private let observer: (any VerdictObserver)?
    private let hub: WatchHub?
    private let subjects: SubjectKey?

    /// - Parameters:
    ///   - observer: `nil`: nothing is handed over.
    ///   - hub: those who watch events; `nil`: there are none.
    ///   - subjects: hashes what observers compare; `nil`: they are not told addresses, subjects and keys.
    package init(_ observer: (any VerdictObserver)? = nil, hub: WatchHub? = nil, subjects: SubjectKey? = nil) {
        (self.observer, self.hub, self.subjects) = (observer, hub, subjects)
    }
}

extension ObservedVerdicts: AnswerFollower {
    package func follow(_ group: inout AnsweredRequests) {
        hub?.judged(group.requests, group.answers)
        guard let observer else { return }
        let given = zip(group.requests, group.answers).compactMap { request, answer in
            observer.observes(request.request.app) ? GivenVerdict(request, answer, subjects) : nil
        }
        if !given.isEmpty { observer.observe(given) }
    }

    package func follow(_ outcome: ProvisioningOutcome) {
        if let event = WatchEvent(outcome) { hub?.publish([event]) }
        guard let observer, observer.observes(outcome.request.app), let given = GivenVerdict(outcome) else { return }
        observer.observe([given])
    }
}

extension GivenVerdict {
    /// `nil` for a request that was not judged.
    fileprivate init?(_ request: AuthorizedRequest, _ answer: Answer, _ subjects: SubjectKey?) {
        var (rejection, assurance, device): ((code: String, check: String)?, Assurance, DeviceID?) = (nil, .none, nil)
        var (digest, simulated, decidedAt) = (request.profile.policyDigest, false, request.now)
        var isRepeated = false
        var traits = Traits(request.request, subjects)
        switch answer {
        case .reported(let reported):
            // Observers are told what was judged.
            self.init(request, .verdict(reported.verdict), subjects)
            return
        case .verdict(let verdict), .completed(let verdict, _):
            switch verdict.decision {
            case .accepted(let level):
                assurance = level
                traits.add(verdict.claims, of: request.request, subjects)
            case .rejected(let reason, let check): rejection = (reason.code.rawValue, check)
            }
            (device, digest, simulated) = (verdict.device, verdict.policyDigest, verdict.simulated)
            decidedAt = verdict.decidedAt
        case .repeated: isRepeated = true
        case .failed, .abandoned: return nil
        }
        self.init(
            requestID: request.requestID, app: request.request.app, caller: request.caller.name,
            purpose: request.request.purpose, formats: request.request.evidence.map(\.format), rejection: rejection,
            assurance: assurance, device: device, policyDigest: digest, simulated: simulated, repeated: isRepeated,
            decidedAt: decidedAt, traits: traits)
    }

    /// The refusal of a device of a fleet; `nil` for what is told as a change of the registry, or was not decided.
    fileprivate init?(_ outcome: ProvisioningOutcome) {
        guard case .refused(let rejection, let check, let device) = outcome.result else { return nil }
        let request = outcome.request
        self.init(
            requestID: request.id, app: request.app, caller: request.caller, purpose: request.purpose,
            formats: request.formats, rejection: (rejection.code.rawValue, check), assurance: .none, device: device,
            policyDigest: outcome.policyDigest, simulated: false, repeated: false, decidedAt: request.time)
    }
}

extension GivenVerdict.Traits {
    /// The claims that each is read from: the first that the verdict has.
    private static let models = ["model", "hardware_enforced.model"]
    private static let patchLevels = ["os_patch_level", "hardware_enforced.os_patch_level"]
    private static let counters = ["counter", "sign_count"]

    /// What a request says, whether it is accepted or not.
    fileprivate init(_ request: VerificationRequest, _ subjects: SubjectKey?) {
        self.init()
        guard let subjects else { return }
        if let source = request.sourceAddress {
            address = subjects.hash(Array(source.text.utf8), of: .address, app: request.app)
        }
        subject = subjects.hash(request.subject, app: request.app) ?? []
    }

    /// What accepted evidence says.
    fileprivate mutating func add(_ claims: Claims, of request: VerificationRequest, _ subjects: SubjectKey?) {
        let keyID = request.evidence.first { !$0.keyID.isEmpty }?.keyID ?? []
        key = subjects?.hash(keyID, of: .key, app: request.app) ?? []
        for case let value? in Self.models.map({ claims[$0] }) where model.isEmpty {
            switch value {
            case .text(let text): model = Array(text.utf8.prefix(Self.modelLimit))
            case .bytes(let bytes): model = Array(bytes.prefix(Self.modelLimit))
            case .integer, .boolean, .texts, .time: break
            }
        }
        osPatchLevel = Self.number(Self.patchLevels, in: claims)
        counter = Self.number(Self.counters, in: claims)
    }

    private static func number(_ names: [String], in claims: Claims) -> UInt32 {
        names.lazy.compactMap { claims.integer($0) }.first.flatMap { UInt32(exactly: $0) } ?? 0
    }
}
