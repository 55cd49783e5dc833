/// Everything that one accepted verdict changes. All of it is applied, or nothing.
///
/// A class, because it passes from hand to hand on its way to the commit: one count to keep, not one for each part.
public final class LedgerEntry: Sendable {
    /// When the verdict was reached.
    public let time: Timestamp
    /// What is used up: the challenge, and evidence that may be used once.
    public let spends: [Spend]
    public let registrations: [Device]
    /// How many devices of its app a subject may have when a registration is applied; `nil`: any number. Blocked devices
    /// count.
    public let devicesPerSubject: UInt32?
    public let advances: [Advance]
    public let idempotency: Idempotency?
    public let audit: AuditRecord
    /// Kept beside the audit record, whose `claimsDigest` is theirs; `nil` for apps that do not want them.
    public let auditClaims: AuditClaims?
    /// The keyed hash of the subject that the request names, in the app of the audit record: the entry is refused while that
    /// subject is blocked, whatever device it is about. `nil` where the request names none, and where the device that the
    /// entry is about was registered for that subject, because the device's own state then says it.
    public let subject: [UInt8]?

    /// Something that can be used once.
    public struct Spend: Hashable, Sendable {
        /// 16 bytes.
        public let token: [UInt8]
        /// From this instant on nobody accepts the token any more, so the ledger may forget it.
        public let expiry: Timestamp
        /// True if the token can come with no other expiry, as that of a challenge, which is authenticated together with
        /// it. Ledgers may then look for it under its expiry only, where tokens that are spent together lie together.
        public let expiryIsFixed: Bool
        public init(token: [UInt8], expiry: Timestamp, expiryIsFixed: Bool = false) {
            (self.token, self.expiry, self.expiryIsFixed) = (token, expiry, expiryIsFixed)
        }
    }

    public struct Advance: Hashable, Sendable {
        public let device: DeviceID
        public let counter: UInt32
        public let rule: CounterRule
        public init(device: DeviceID, counter: UInt32, rule: CounterRule) {
            (self.device, self.counter, self.rule) = (device, counter, rule)
        }
    }

    /// Remembers the verdict for a caller who asks again.
    public struct Idempotency: Hashable, Sendable {
        /// SHA-256 over caller, method, app and the caller's key.
        public let key: [UInt8]
        /// SHA-256 over all fields of the request.
        public let request: [UInt8]
        public let expiry: Timestamp
        /// The verdict as it was answered.
        public let verdict: [UInt8]
        /// The device whose block makes the stored verdict void.
        public let device: DeviceID?
        public init(key: [UInt8], request: [UInt8], expiry: Timestamp, verdict: [UInt8], device: DeviceID?) {
            (self.key, self.request, self.expiry, self.verdict, self.device) = (key, request, expiry, verdict, device)
        }
    }

    public init(
        time: Timestamp, spends: [Spend], registrations: [Device] = [], devicesPerSubject: UInt32? = nil,
        advances: [Advance] = [], idempotency: Idempotency? = nil, audit: AuditRecord,
        auditClaims: AuditClaims? = nil, subject: [UInt8]? = nil
    ) {
        self.time = time
        self.spends = spends
        self.registrations = registrations
        self.devicesPerSubject = devicesPerSubject
        self.advances = advances
        self.idempotency = idempotency
        self.audit = audit
        self.auditClaims = auditClaims
        self.subject = subject
    }
}

/// What became of an entry.
public enum CommitOutcome: Hashable, Sendable {
    /// Applied and durable.
    case committed
    /// Not applied: spent before, at or below the horizon, counter, device unknown or blocked, subject blocked, key
    /// registered, too many devices.
    case refused(ReasonCode)
    /// Not applied: the same request was accepted before; here is its verdict.
    case repeated(verdict: [UInt8])
}
