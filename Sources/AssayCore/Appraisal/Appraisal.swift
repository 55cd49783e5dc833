/// A verifier's result for one piece of evidence; `Decision` makes the decision.
public struct Appraisal: Sendable {
    public let format: EvidenceFormat
    /// In documented order; the first failure is the reason.
    public var findings: [Finding]
    /// Empty unless the evidence is authentic.
    public var claims: Claims
    /// How strong the evidence is if it is accepted.
    public var assurance: Assurance
    /// The change of the ledger if the evidence is accepted.
    public var effect: Effect
    /// True for a piece that supplements others: then it does not limit the assurance of the whole.
    public var isSupplement: Bool
    /// True for evidence that is a part of a payload (``ReplayProtection/payload``): it supports no acceptance, and bears on no assurance.
    public internal(set) var isPart = false
    /// Of a part: SHA-256 of the payload that the evidence was shown to belong to, 32 bytes.
    public var verifiedPayload: [UInt8]?
    /// Of a part: what was measured in the payload. Each signal once.
    public var measurements: [SignalMeasurement] = []
    /// The key that the evidence attests; `nil` until it is authenticated, and for evidence that attests none.
    public var attestedKey: AttestedKey?
    /// SHA-256 of the SubjectPublicKeyInfo of a key in the device's keystore for which the evidence speaks, and which can sign a
    /// certificate signing request, 32 bytes. `nil` for platforms whose attested keys cannot.
    public var certifiableKey: [UInt8]?
    /// The certificate on which the evidence rests: it is checked again in the commit.
    public var restsOn: CertificateName?
    /// The submission that an acceptance counts.
    public var submission: LedgerEntry.Submission?
    /// What an acceptance uses up of the evidence beside the challenge.
    public var uses: [EvidenceUse]
    /// The plugin whose judgement this is; `nil` for one of Assay's own.
    public var plugin: String?
    /// Versions of the trust feeds that were used.
    public var feeds: [FeedVersion]
    /// True if trust depends on an anchor that only a test configuration names.
    public var simulated: Bool
    /// The kind of device that the evidence proves; `nil` until it is authenticated, and for evidence that does not tell.
    public var platform: DevicePlatform?
    /// SHA-256 of the image that the evidence names and its signature covers, 32 bytes: look-ups find the verdict by it. `nil` until it is
    /// authenticated, and for evidence that names none. It is in no finding and no claim.
    public var imageDigest: [UInt8]?
    /// The mode for inspection; `nil` for a verdict.
    @usableFromInline let examination: Examination?
    /// Whether checks go on after a failure, so that the findings have every failure.
    @usableFromInline let report: VerdictReport
    /// What the appraisal was when its first check failed, under a report of every failure; empty: none failed.
    private(set) var atFailure: [Appraisal] = []
    /// Whether a finding says already that checks were left out because of the failures so far.
    var saysUnchecked = false

    public init(format: EvidenceFormat, examination: Examination? = nil, report: VerdictReport = .first) {
        self.format = format
        self.examination = examination
        self.report = report
        findings = []
        claims = Claims()
        assurance = .none
        effect = .none
        isSupplement = false
        uses = []
        feeds = []
        simulated = false
    }

    /// The first failure in documented order.
    public var failure: Finding? { findings.first(.fail) }

    /// Builds an appraisal from a body that reads like the specification's list of steps. A rejection thrown by a step ends the
    /// list; it is already among the findings.
    ///
    /// Under a report of every failure the result differs from that of the first failure in its findings alone: what is claimed, and what follows,
    /// is what was known when the first check failed.
    ///
    /// - Parameters:
    ///   - examination: the context's.
    ///   - report: the context's.
    public static func build(
        _ format: EvidenceFormat, under examination: Examination? = nil, report: VerdictReport = .first,
        _ body: (inout Appraisal) throws(Rejection) -> Void
    ) -> Appraisal {
        var appraisal = Appraisal(format: format, examination: examination, report: report)
        do {
            try body(&appraisal)
            if examination != nil { appraisal.effect = .none }
        } catch {
            // A step throws without a named check only by mistake; the rejection is recorded nevertheless.
            if appraisal.failure == nil { appraisal.findings.append(.fail("evidence", error)) }
            appraisal.effect = .none
            if report == .all { appraisal.sayUnchecked() }
        }
        // Asked before it is taken out: the appraisal would be copied for it.
        guard !appraisal.atFailure.isEmpty, var first = appraisal.atFailure.first else { return appraisal }
        first.findings = appraisal.findings
        first.effect = .none
        return first
    }

    /// Runs a step under the name of its check. A rejection is recorded and ends the list.
    @inlinable
    public mutating func check<T>(_ name: String, _ step: () throws(Rejection) -> T) throws(Rejection) -> T {
        do {
            let value = try step()
            findings.append(examination?.finding(name) ?? .pass(name))
            return value
        } catch {
            fail(name, error)
            throw error
        }
    }

    /// Records a failed check.
    @usableFromInline
    mutating func fail(_ name: String, _ rejection: Rejection) {
        if report == .all, atFailure.isEmpty, failure == nil { atFailure = [self] }
        saysUnchecked = false
        findings.append(.fail(name, rejection))
    }

    /// Records whether a condition holds, and ends the list if it does not.
    public mutating func require(
        _ name: String, _ condition: Bool, else code: ReasonCode, _ detail: @autoclosure () -> String
    ) throws(Rejection) {
        try check(name) { () throws(Rejection) in
            guard condition else { throw Rejection(code, detail()) }
        }
    }

    /// Records that a required fact is unavailable. The list continues: a later failure still rejects.
    public mutating func unavailable(_ check: String, _ code: String, _ detail: String) {
        findings.append(Finding(check: check, outcome: .unavailable, code: code, detail: detail))
    }

    public mutating func note(_ check: String, _ code: String, _ detail: String) {
        findings.append(.note(check, code, detail))
    }
}

/// The change that an accepted verdict makes in the ledger.
public enum Effect: Sendable {
    case none
    case register(Registration)
    case advance(device: DeviceID, counter: UInt32, rule: CounterRule)
}

/// The rule by which a device's counter may change.
public enum CounterRule: UInt8, Hashable, Sendable {
    /// Each accepted value is greater than the one before.
    case strictlyIncreasing = 0
    /// Each value is accepted once, if it is greater than the highest accepted one or at most 63 below it.
    case window64 = 1
}

/// A key that one piece of evidence attests, for other pieces of the same request.
public struct AttestedKey: Hashable, Sendable {
    /// SHA-256 of its SubjectPublicKeyInfo.
    public let publicKeySHA256: [UInt8]
    /// The packages that may have made it, in the order of the evidence.
    public let packages: [String]
    /// SHA-256 of the certificates that sign the packages.
    public let signers: [[UInt8]]

    public init(publicKeySHA256: [UInt8], packages: [String], signers: [[UInt8]]) {
        (self.publicKeySHA256, self.packages, self.signers) = (publicKeySHA256, packages, signers)
    }
}
