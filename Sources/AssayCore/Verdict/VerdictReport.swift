/// How much a rejection tells.
public enum VerdictReport: UInt8, CaseIterable, Hashable, Sendable {
    /// The judgement ends at the first failure.
    case first = 1
    /// Everything that can be judged beside a failure is judged, and each failure is a finding. Decision, reason, check and retry class are
    /// those of ``first``.
    case all = 2
}
