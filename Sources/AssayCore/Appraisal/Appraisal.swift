/// What a verifier found: an opinion, not yet a decision.
public struct Appraisal: Sendable {
    public let format: EvidenceFormat
    /// In documented order; the first failure is the reason.
    public var findings: [Finding]
    /// Empty unless the evidence is authentic.
    public var claims: Claims
    /// How strong the evidence is if it is accepted.
    public var assurance: Assurance
    /// What is to be remembered if it is accepted.
    public var effect: Effect
    /// True for a piece that only adds to others where there are any: it does not bound the assurance of the whole then.
    public var isSupplement: Bool
    /// The key that the evidence attests; `nil` until that is established, and for evidence that attests none.
    public var attestedKey: AttestedKey?
    /// Versions of the trust feeds that were used.
    public var feeds: [FeedVersion]
    /// True if trust rests on an anchor that only a test configuration names.
    public var simulated: Bool
    /// How it is judged for a person; `nil` for a verdict.
    let examination: Examination?

    public init(format: EvidenceFormat, examination: Examination? = nil) {
        self.format = format
        self.examination = examination
        findings = []
        claims = Claims()
        assurance = .none
        effect = .none
        isSupplement = false
        feeds = []
        simulated = false
    }

    /// The first failure in documented order.
    public var failure: Finding? { firstFinding(.fail) }

    func firstFinding(_ outcome: Finding.Outcome) -> Finding? {
        // By index: an iterator would hand out a copy of each finding on the way.
        for index in findings.indices where findings[index].outcome == outcome { return findings[index] }
        return nil
    }

    /// Builds an appraisal from a body that reads like the specification's list of steps. A rejection thrown by a step
    /// ends the list; it is already among the findings.
    ///
    /// - Parameter examination: that of the context.
    public static func build(
        _ format: EvidenceFormat, under examination: Examination? = nil, _ body: (inout Appraisal) throws(Rejection) -> Void
    ) -> Appraisal {
        var appraisal = Appraisal(format: format, examination: examination)
        do {
            try body(&appraisal)
            if examination != nil { appraisal.effect = .none }
        } catch {
            // A step can throw without having named a check only by mistake; the rejection is kept all the same.
            if appraisal.failure == nil { appraisal.findings.append(.fail("evidence", error)) }
            appraisal.effect = .none
        }
        return appraisal
    }

    /// Runs a step under the name of its check. A rejection is recorded and ends the list.
    public mutating func check<T>(_ name: String, _ step: () throws(Rejection) -> T) throws(Rejection) -> T {
        do {
            let value = try step()
            findings.append(examination?.finding(name) ?? .pass(name))
            return value
        } catch {
            findings.append(.fail(name, error))
            throw error
        }
    }

    /// Records whether a condition holds, and ends the list if it does not.
    public mutating func require(
        _ name: String, _ condition: Bool, else code: ReasonCode, _ detail: @autoclosure () -> String
    ) throws(Rejection) {
        try check(name) { () throws(Rejection) in
            guard condition else { throw Rejection(code, detail()) }
        }
    }

    /// Records that something which is required could not be had. The list goes on: a later failure rejects all the same.
    public mutating func unavailable(_ check: String, _ code: String, _ detail: String) {
        findings.append(Finding(check: check, outcome: .unavailable, code: code, detail: detail))
    }

    public mutating func note(_ check: String, _ code: String, _ detail: String) {
        findings.append(.note(check, code, detail))
    }
}

/// What an accepted verdict changes in the ledger.
public enum Effect: Sendable {
    case none
    case register(Registration)
    case advance(device: DeviceID, counter: UInt32, rule: CounterRule)
}

/// How a device's counter may move.
public enum CounterRule: UInt8, Hashable, Sendable {
    /// Each accepted value is greater than the one before.
    case strictlyIncreasing = 0
    /// Each value is accepted once, if it is greater than the highest accepted one or at most 63 below it.
    case window64 = 1
}
