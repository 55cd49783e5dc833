/// What is kept of a verdict, or of a call that could not be judged, so that an operator can tell the reason afterwards.
///
/// A record holds names, codes, digests and sentences: never evidence, a payload, a context or a subject. Its size is bounded: sentences and
/// findings beyond the limits are cut, and the record says so.
package struct VerdictRecord: Hashable, Sendable {
    package enum Decision: UInt8, CaseIterable, Hashable, Sendable {
        case accepted = 1
        case rejected = 2
        /// Nothing was decided: the call was answered by an error.
        case unjudged = 3

        package var name: String {
            switch self {
            case .accepted: "accepted"
            case .rejected: "rejected"
            case .unjudged: "unjudged"
            }
        }
    }

    /// The request that the record is about.
    package struct Request: Hashable, Sendable {
        /// 16 bytes.
        package var id: [UInt8]
        package var time: Timestamp
        /// The caller's name in the configuration.
        package var caller: String
        package var app: AppID
        package var purpose: Purpose
        /// The formats of the evidence, in order; empty for a request without evidence.
        package var formats: [EvidenceFormat]
        /// The keyed hash of the caller's subject, 32 bytes; empty if the request names none.
        package var subject: [UInt8]
        /// SHA-256, 32 bytes; empty for a request without evidence.
        package var evidenceDigest: [UInt8]
        /// How the caller says that the evidence is bound; `nil` for a request without evidence.
        package var binding: Binding.Mode?
        /// SHA-256 of the payload as the caller gave it, 32 bytes; empty if it gave none.
        package var payloadDigest: [UInt8]

        package init(
            id: [UInt8], time: Timestamp, caller: String, app: AppID, purpose: Purpose, formats: [EvidenceFormat] = [],
            subject: [UInt8] = [], evidenceDigest: [UInt8] = [], binding: Binding.Mode? = nil, payloadDigest: [UInt8] = []
        ) {
            (self.id, self.time, self.caller, self.app, self.purpose) = (id, time, caller, app, purpose)
            (self.formats, self.subject, self.evidenceDigest) = (formats, subject, evidenceDigest)
            (self.binding, self.payloadDigest) = (binding, payloadDigest)
        }
    }

    /// Why a request was not accepted.
    package struct Reason: Hashable, Sendable {
        /// A `FailureCode`, or the reason of the call's error.
        package var code: String
        /// The check that failed.
        package var check: String
        /// A sentence for the caller.
        package var sentence: String
        /// What the caller may do next.
        package var retry: RetryClass

        package init(code: String, check: String, sentence: String, retry: RetryClass) {
            (self.code, self.check, self.sentence, self.retry) = (code, check, sentence, retry)
        }
    }

    package let request: Request
    package let decision: Decision
    /// `nil` for an acceptance.
    package let reason: Reason?
    package let assurance: Assurance
    /// The device that the evidence came from, where it is known.
    package let device: DeviceID?
    /// In documented order.
    package let findings: [Finding]
    /// SHA-256 of the policy, 32 bytes.
    package let policyDigest: [UInt8]
    /// Versions of the feeds that were used.
    package let feeds: [FeedVersion]
    package let simulated: Bool
    /// Whether findings or sentences were cut.
    package let isTruncated: Bool
    /// Whether a rejection was answered ACCEPTED, because the app did not enforce it.
    package let wouldReject: Bool
    /// What the evidence says of the device, of a rejection.
    package let traits: DeviceTraits
    /// How many verdicts of the same app, caller and reason the record stands for, itself included: more than 1 in a flood.
    package var standsFor: Int64

    /// Cuts what exceeds the limits.
    ///
    /// - Parameter isTruncated: whether something was cut before.
    package init(
        _ request: Request, _ decision: Decision, reason: Reason?, assurance: Assurance = .none, device: DeviceID? = nil,
        findings: [Finding] = [], policyDigest: [UInt8], feeds: [FeedVersion] = [], simulated: Bool = false,
        standsFor: Int64 = 1, isTruncated: Bool = false, wouldReject: Bool = false, traits: DeviceTraits = DeviceTraits()
    ) {
        var cut = RecordLimits.Cut(isTruncated: isTruncated)
        var (request, reason) = (request, reason)
        cut.shorten(&request.caller, to: RecordLimits.name)
        request.formats = cut.first(RecordLimits.formats, of: request.formats)
        reason = reason.map { whole in
            var short = whole
            cut.shorten(&short.code, to: FailureCode.lengthLimit)
            cut.shorten(&short.check, to: RecordLimits.name)
            cut.shorten(&short.sentence, to: RecordLimits.sentence)
            return short
        }
        (self.request, self.decision, self.reason, self.assurance, self.device) = (request, decision, reason, assurance, device)
        self.findings = cut.bounded(findings)
        (self.wouldReject, self.traits) = (wouldReject, traits)
        (self.policyDigest, self.simulated, self.standsFor) = (policyDigest, simulated, standsFor)
        self.feeds = cut.first(RecordLimits.feeds, of: feeds)
        self.isTruncated = cut.isTruncated
    }

    /// What the record takes in memory, approximately, in bytes: at least 1024, so that a limit in bytes is one of records too.
    package var weight: Int {
        let texts = findings.reduce(0) { $0 + 96 + $1.detail.utf8.count + $1.check.utf8.count + $1.code.utf8.count }
        return max(1024, 600 + texts + (reason?.sentence.utf8.count ?? 0))
    }
}

/// The most that a record keeps of each part, in bytes of UTF-8 or in elements.
package enum RecordLimits {
    package static let findings = 64
    /// Of each finding, and of the reason.
    package static let sentence = 512
    /// Of all findings' sentences together.
    package static let sentences = 8192
    /// Of a caller, a check, or a code of a finding.
    package static let name = 256
    package static let formats = VerificationRequest.evidenceLimit
    package static let feeds = 16

    /// Cuts parts, and remembers that it did.
    struct Cut {
        var isTruncated: Bool

        mutating func shorten(_ text: inout String, to limit: Int) {
            guard text.utf8.count > limit else { return }
            isTruncated = true
            var bytes = Array(text.utf8.prefix(max(0, limit)))
            // Not in the middle of a character: a prefix that is not UTF-8 loses its last bytes, of which a character has at most 4.
            for _ in 0..<4 {
                if let whole = String(validating: bytes, as: UTF8.self) {
                    text = whole
                    return
                }
                bytes.removeLast()
            }
            text = ""
        }

        mutating func first<Element>(_ limit: Int, of list: [Element]) -> [Element] {
            guard list.count > limit else { return list }
            isTruncated = true
            return Array(list.prefix(limit))
        }

        /// The findings within the limits. Most are, and then nothing is copied.
        mutating func bounded(_ findings: [Finding]) -> [Finding] {
            var total = 0
            let isBounded =
                findings.count <= RecordLimits.findings
                && findings.allSatisfy { finding in
                    total += finding.detail.utf8.count
                    return finding.detail.utf8.count <= RecordLimits.sentence && finding.check.utf8.count <= RecordLimits.name
                        && finding.code.utf8.count <= RecordLimits.name
                }
            guard !isBounded || total > RecordLimits.sentences else { return findings }
            isTruncated = true
            var left = RecordLimits.sentences
            return findings.prefix(RecordLimits.findings).map { finding in
                var (check, code, detail) = (finding.check, finding.code, finding.detail)
                shorten(&check, to: RecordLimits.name)
                shorten(&code, to: RecordLimits.name)
                shorten(&detail, to: min(left, RecordLimits.sentence))
                left -= detail.utf8.count
                var shortened = Finding(
                    check: check, outcome: finding.outcome, code: code, detail: detail, retry: finding.retry)
                shortened.vendorCode = finding.vendorCode
                return shortened
            }
        }
    }
}
