/// A token of evidence, or a statement, that an acceptance uses up. The verifier knows it once the evidence is appraised.
public struct EvidenceUse: Hashable, Sendable {
    /// What follows if it was used before.
    public enum Repetition: Hashable, Sendable {
        /// The evidence is rejected like this.
        case rejected(Rejection)
        /// The evidence is accepted again, and the verdict says that it is a repetition.
        case repeated
    }

    /// 16 bytes, as `LedgerEntry.Spend` has them.
    public let token: [UInt8]
    /// Until when it is remembered.
    public let until: Timestamp
    public let repetition: Repetition

    /// - Parameter digest: of the token or statement, within whatever keeps it apart from others, 32 bytes.
    public init(app: AppID, digest: [UInt8], until: Timestamp, repetition: Repetition) {
        (token, self.until, self.repetition) = (Self.token(app: app, digest: digest), until, repetition)
    }

    /// The ledger's token for a digest in an app: those of two apps never meet.
    public static func token(app: AppID, digest: [UInt8]) -> [UInt8] {
        var hash = FieldDigest("assay.evidence.use.v1")
        hash.append(app.text)
        hash.append(digest)
        return Array(hash.finalize().prefix(16))
    }
}
