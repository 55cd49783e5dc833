/// Which rejections of an app are enforced: the section `apps.<app>.enforce`. It bears on no verdict, only on how a rejected one is answered, and is
/// no part of the policy digest.
///
/// A rejection that is not enforced is *reported*: it is judged and recorded as it is, and answered ACCEPTED with its reason beside. Certificates are
/// never issued on such an answer, and nothing is signed of it.
public struct EnforcementRule: Hashable, Sendable {
    /// The share of an app that enforces all its verdicts, in hundredths of a percent.
    public static let whole: UInt32 = 10_000

    /// The share of devices whose rejections are enforced, in hundredths of a percent: 0 to ``whole``.
    public var share = Self.whole
    /// Whether also replays, revoked keys and blocked devices are reported.
    public var reportsEverything = false

    public init(share: UInt32 = Self.whole, reportsEverything: Bool = false) {
        (self.share, self.reportsEverything) = (min(share, Self.whole), reportsEverything)
    }

    /// Whether some rejections are reported.
    public var reports: Bool { share < Self.whole }

    /// What a share is counted by.
    public enum Group: Hashable, Sendable {
        /// The registered device that the evidence names.
        case device(DeviceID)
        /// The keyed hash of the request's subject, where no registered device is named.
        case subject([UInt8])
        /// SHA-256 of the evidence, where neither is known.
        case evidence([UInt8])
    }

    /// Whether a rejected verdict is answered ACCEPTED.
    ///
    /// It is not where the group is in the enforced share. Nor, unless everything is reported, where one of the failures is a replay or a
    /// revocation, or where something that the evidence has to be checked with was unavailable, so that this cannot be told.
    ///
    /// - Parameter verdict: of a judgement that went on after the first failure.
    public func reports(_ verdict: Verdict, of app: AppID, group: Group) -> Bool {
        guard reports, case .rejected = verdict.decision, !enforces(group, of: app) else { return false }
        guard !reportsEverything else { return true }
        return !verdict.isReplayOrRevocation && !verdict.findings.contains { $0.outcome == .unavailable }
    }

    /// Whether a group is in the enforced share. A share that grows keeps the groups that it has, and every daemon says the same.
    func enforces(_ group: Group, of app: AppID) -> Bool { Self.place(of: group, in: app) < share }

    /// A number below ``whole``, the same each time.
    private static func place(of group: Group, in app: AppID) -> UInt32 {
        var hash = FieldDigest("assay.enforcement.v1")
        hash.append(app.text)
        switch group {
        case .device(let id): hash.append(id.bytes)
        case .subject(let bytes), .evidence(let bytes): hash.append(bytes)
        }
        let number = hash.finalize().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return UInt32(number % UInt64(whole))
    }

    /// The share as a text, such as `10%` or `0.5%`.
    public var shareText: String {
        let (percent, rest) = share.quotientAndRemainder(dividingBy: 100)
        guard rest > 0 else { return "\(percent)%" }
        let digits = rest < 10 ? "0\(rest)" : rest % 10 == 0 ? "\(rest / 10)" : "\(rest)"
        return "\(percent).\(digits)%"
    }
}

extension Verdict {
    /// Whether one of the failures is a replay or a revocation (``ReasonCode/isReplayOrRevocation``).
    package var isReplayOrRevocation: Bool {
        guard case .rejected(let rejection, let check) = decision else { return false }
        return Finding.fail(check, rejection).isReplayOrRevocation
            || findings.contains { $0.outcome == .fail && $0.isReplayOrRevocation }
    }
}

extension Finding {
    /// The check that something which evidence may be used for once was not used before, whatever code its verifier gives.
    package static let useCheck = "use"

    /// Whether a failure is one of those that ``ReasonCode/isReplayOrRevocation`` names.
    fileprivate var isReplayOrRevocation: Bool {
        check == Self.useCheck || ReasonCode(rawValue: code)?.isReplayOrRevocation ?? false
    }
}
