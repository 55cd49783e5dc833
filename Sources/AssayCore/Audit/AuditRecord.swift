/// An audit record of an accepted verdict, without evidence and personal claims. The records of other changes are `AuditChange`s.
///
/// A rejected verdict that was answered ACCEPTED, because its app does not enforce it, has a record too: with the reason, and without an assurance.
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
    /// The code of the rejection that was not enforced; empty for an accepted verdict.
    public let wouldReject: String
    /// The canonical bytes that the ledger stores and chains, in the form that is described below. Encoded once, when the record is made, so that the
    /// ledger's writer has nothing to encode.
    public let bytes: [UInt8]

    public init(
        requestID: [UInt8], caller: String, app: AppID, purpose: Purpose, device: DeviceID?, assurance: Assurance,
        evidenceDigest: [UInt8], policyDigest: [UInt8], simulated: Bool, claimsDigest: [UInt8] = [],
        wouldReject: String = ""
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
        self.wouldReject = wouldReject
        let version = wouldReject.isEmpty ? Self.version : Self.versionOfReported
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.usualSize)
        bytes.append(version)
        bytes.append(purpose.rawValue)
        bytes.append(assurance.rawValue)
        bytes.append(simulated ? 1 : 0)
        bytes.append(field: requestID)
        bytes.append(field: caller)
        bytes.append(field: app.text)
        bytes.append(field: device?.bytes ?? [])
        bytes.append(field: evidenceDigest)
        bytes.append(field: policyDigest)
        bytes.append(field: claimsDigest)
        if !wouldReject.isEmpty { bytes.append(field: wouldReject) }
        self.bytes = bytes
    }

    /// Enough for nearly every record, so that it is written without allocating again: names have some ten bytes each.
    private static let usualSize = 256
}

/// Records with equal canonical bytes are equal.
extension AuditRecord: Hashable {
    public static func == (a: AuditRecord, b: AuditRecord) -> Bool { a.bytes == b.bytes }
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

/// The canonical bytes of a record (`docs/reference/audit-format.md`): version 1, purpose, assurance and flags (bit 0: simulated), one byte each; then
/// request id, caller, app, device (empty if there is none), evidence digest, policy digest and claims digest (empty if no claims are
/// kept), each behind its length as a big-endian u32. The record of a verdict that was not enforced has version 3, and the code of its rejection
/// behind the claims digest. Each record has exactly one encoding.
extension AuditRecord {
    static let version: UInt8 = 1
    static let versionOfReported: UInt8 = 3

    /// Decodes a record. `nil` for all other bytes, a later version included.
    public init?(decoding bytes: [UInt8]) {
        var rest = bytes[...]
        guard let version = rest.popFirst(), version == Self.version || version == Self.versionOfReported,
            let purpose = rest.popFirst().flatMap(Purpose.init(rawValue:)),
            let assurance = rest.popFirst().flatMap(Assurance.init(rawValue:)), let flags = rest.popFirst(), flags <= 1,
            let requestID = rest.takeField(), let caller = rest.takeTextField(),
            let app = rest.takeTextField().flatMap(AppID.init), let device = rest.takeField(),
            let evidenceDigest = rest.takeField(), let policyDigest = rest.takeField(),
            let claimsDigest = rest.takeField()
        else { return nil }
        var wouldReject = ""
        if version == Self.versionOfReported {
            guard let code = rest.takeTextField(), !code.isEmpty else { return nil }
            wouldReject = code
        }
        guard rest.isEmpty else { return nil }
        let id = DeviceID(bytes: device)
        guard id != nil || device.isEmpty else { return nil }
        self.init(
            requestID: requestID, caller: caller, app: app, purpose: purpose, device: id, assurance: assurance,
            evidenceDigest: evidenceDigest, policyDigest: policyDigest, simulated: flags == 1,
            claimsDigest: claimsDigest, wouldReject: wouldReject)
    }
}

/// The claims of one accepted verdict, kept beside its audit record for apps that configure it. The record holds only their salted
/// digest, so they can be deleted without changing the chain, and cannot be guessed from the digest afterwards.
public struct AuditClaims: Hashable, Sendable {
    /// 16 random bytes, deleted with the claims.
    public let salt: [UInt8]
    /// The encoding of `Claims.encoded()`.
    public let claims: [UInt8]

    public init(salt: [UInt8], claims: [UInt8]) { (self.salt, self.claims) = (salt, claims) }

    /// Claims with a fresh salt.
    public init(_ claims: Claims) { self.init(salt: SecureRandom.identifier(), claims: claims.encoded()) }

    /// The digest that the record holds, 32 bytes: SHA-256 over the label `assay.audit.claims.v1`, salt and claims, each behind its length
    /// (`FieldDigest`).
    public var digest: [UInt8] {
        var hash = FieldDigest("assay.audit.claims.v1")
        hash.append(salt)
        hash.append(claims)
        return hash.finalize()
    }
}
