/// An audit record of an accepted verdict, without evidence and personal claims. The records of other changes are `AuditChange`s.
public struct AuditRecord: Sendable {
    public let requestID: [UInt8]
    public let caller: String
    public let app: AppID
    public let purpose: Purpose
    public let device: DeviceID?
    public let assurance: Assurance
    /// SHA-256, 32 bytes.
    public let evidenceDigest: [UInt8]
    /// SHA-256, 32 bytes.
    public let policyDigest: [UInt8]
    public let simulated: Bool
    /// The digest of the claims beside the record (`AuditClaims.digest`), 32 bytes; empty if none are kept.
    public let claimsDigest: [UInt8]
    /// The canonical bytes that the ledger stores and chains (`AuditRecord+Coding`). Encoded once, when the record is made, so that the
    /// ledger's writer has nothing to encode.
    public let bytes: [UInt8]

    public init(
        requestID: [UInt8], caller: String, app: AppID, purpose: Purpose, device: DeviceID?, assurance: Assurance,
        evidenceDigest: [UInt8], policyDigest: [UInt8], simulated: Bool, claimsDigest: [UInt8] = []
    ) {
        self.requestID = requestID
        self.caller = caller
        self.app = app
        self.purpose = purpose
        self.device = device
        self.assurance = assurance
        self.evidenceDigest = evidenceDigest
        self.policyDigest = policyDigest
        self.simulated = simulated
        self.claimsDigest = claimsDigest
        bytes = Self.encode(
            [
                requestID, Array(caller.utf8), Array(app.text.utf8), device?.bytes ?? [], evidenceDigest, policyDigest,
                claimsDigest,
            ],
            purpose, assurance, simulated)
    }
}

/// Records with equal canonical bytes are equal.
extension AuditRecord: Hashable {
    public static func == (a: AuditRecord, b: AuditRecord) -> Bool { a.bytes == b.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
