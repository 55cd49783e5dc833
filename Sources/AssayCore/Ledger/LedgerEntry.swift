/// All changes of one accepted verdict. They are applied together or not at all.
///
/// A class, because it passes through several stages on its way to the commit: one reference count in place of one for each field.
public final class LedgerEntry: Sendable {
    /// The time of the verdict.
    public let time: Timestamp
    /// The tokens to spend: the challenge, and evidence that may be used once.
    public let spends: [Spend]
    public let registrations: [Device]
    /// The most devices that a subject may have in the app after a registration; `nil`: no limit. Blocked devices count.
    public let devicesPerSubject: UInt32?
    public let advances: [Advance]
    public let idempotency: Idempotency?
    public let audit: AuditRecord
    /// The claims to keep beside the audit record, which holds their digest (`claimsDigest`); `nil` for apps that keep none.
    public let auditClaims: AuditClaims?
    /// The keyed hash of the request's subject, in the app of the audit record. The entry is refused while that subject is blocked,
    /// whatever its device is. `nil` if the request names no subject, or if the device was registered for that subject: the block of
    /// the device's record then decides.
    public let subject: [UInt8]?

    /// A token that can be spent once.
    public struct Spend: Hashable, Sendable {
        /// 16 bytes.
        public let token: [UInt8]
        /// The token is not accepted from this instant on, so the ledger may drop it.
        public let expiry: Timestamp
        /// True if the token always has this expiry, like that of a challenge, whose tag covers both. A ledger may then look it up by
        /// expiry and token, so that tokens that are spent together are stored together.
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

    /// The verdict to store for repetition.
    public struct Idempotency: Hashable, Sendable {
        /// SHA-256 over caller, method, app and the caller's idempotency key, 32 bytes.
        public let key: [UInt8]
        /// SHA-256 over all fields of the request, 32 bytes.
        public let request: [UInt8]
        public let expiry: Timestamp
        /// The encoded verdict as it is sent.
        public let verdict: [UInt8]
        /// The device of the verdict: the stored verdict is void after the device is blocked or forgotten.
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

/// The result of committing one entry.
public enum CommitOutcome: Hashable, Sendable {
    /// Applied and durable.
    case committed
    /// Not applied, for the first failed check in the order that `VerdictLedger` documents.
    case refused(ReasonCode)
    /// Not applied: an equal request was accepted before, with this verdict.
    case repeated(verdict: [UInt8])
}
