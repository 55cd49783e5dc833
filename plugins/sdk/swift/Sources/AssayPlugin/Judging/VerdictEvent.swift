/// A verdict that was given.
public struct VerdictEvent: Sendable {
    public let requestID: [UInt8]
    public let app: String
    public let caller: String
    /// `nil`: one that this version of the library does not know.
    public let purpose: Purpose?
    /// The formats of the evidence, in order.
    public let formats: [String]
    public let accepted: Bool
    /// The reason of a rejection, and the check that failed; otherwise empty.
    public let code: String
    public let check: String
    public let assurance: Assurance
    /// 16 bytes, or empty.
    public let deviceID: [UInt8]
    public let policyDigest: [UInt8]
    public let simulated: Bool
    public let repeatedAnswer: Bool
    public let decidedAtMilliseconds: Int64
}
