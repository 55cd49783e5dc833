/// Commits accepted verdicts and keeps them for repetition: the part of the ledger that the pipeline uses.
///
/// - An entry is applied in full or not at all, and is durable when `commit` returns `.committed` for it.
/// - Of entries that exclude each other and are committed concurrently, exactly one is `.committed`.
/// - The refusal of an entry does not affect other entries of the same call or transaction.
/// - `commit` checks an entry inside the transaction, in this order: idempotency, devices registered and not blocked, the
///   entry's subject not blocked, the certificate that the evidence rests on (on record, not revoked, not expired), spends (above the
///   spent horizon, unspent), counters, registrations (key and subject not blocked, key not registered, number of devices of the
///   subject), the certificate to issue (device named, key not blocked, key not certified, serial number new, the one that it was
///   renewed from on record), the number of submissions. The devices are those whose counters advance, the one that the audit record names, and the one
///   that is replaced, except those that the entry registers.
/// - A device that an entry replaces loses its registration as by `DeviceRegistry.forget`, in the transaction of the entry and after its audit record, except
///   that its certificates are revoked as `superseded`, and that its stored verdicts, which are void, and those that `PayloadIndex` keeps stay. It is not counted among the devices of its
///   subject. Its key is registered until then: the entry cannot register the same key.
/// - A token is spent once, whatever its expiry is in each entry. A token whose expiry is fixed is spent once with that expiry.
/// - A stored verdict is void after its device was blocked or forgotten, or its certificate (`LedgerEntry.verdictCertificate`) revoked,
///   and is not repeated while the entry's subject is blocked.
/// - The audit record of an entry is part of it: the order of records is the order of commits.
public protocol VerdictLedger: DeviceFacts, CertificateFacts {
    /// Checks and applies each entry. One outcome for each, in order.
    ///
    /// Throws only if no outcome is known: nothing was applied, or later reads show what was.
    func commit(_ entries: [LedgerEntry]) async throws(LedgerError) -> [CommitOutcome]

    /// The verdict that is stored under an idempotency key and has not expired at `now`.
    ///
    /// - Parameter idempotencyKey: SHA-256, 32 bytes, as `LedgerEntry.Idempotency` has it.
    func verdict(idempotencyKey: [UInt8], now: Timestamp) async throws(LedgerError) -> StoredVerdict?

    /// For each token without a fixed expiry, whether it was spent and is still kept. Another entry may spend it afterwards.
    ///
    /// - Parameter tokens: 16 bytes each.
    func areSpent(_ tokens: [[UInt8]]) async throws(LedgerError) -> [Bool]
}

/// An accepted verdict that is stored for repetition under an idempotency key.
public struct StoredVerdict: Hashable, Sendable {
    /// SHA-256 over all fields of the request that it answered, 32 bytes.
    public let request: [UInt8]
    public let verdict: [UInt8]
    /// Why the verdict is void: its device was blocked or forgotten since, or its certificate revoked. `nil` if it is not void.
    public let objection: ReasonCode?
    public init(request: [UInt8], verdict: [UInt8], objection: ReasonCode?) {
        (self.request, self.verdict, self.objection) = (request, verdict, objection)
    }
}

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
    /// What the entry has to do with device certificates; `nil` for most entries.
    public let certification: Certification?
    /// The device that the entry's registration replaces; `nil` for most entries.
    public let replacement: Replacement?
    /// What `PayloadIndex` keeps of the verdict, once for each hash by which it is found, at most ``IndexedVerdict/countLimit``, no two of one key;
    /// empty for most entries. Their device is that of the audit record.
    public let lookups: [IndexedVerdict]

    /// A device that is retired by the registration of another one.
    ///
    /// A class, because most entries have none: one reference in each entry in place of a record.
    public final class Replacement: Sendable {
        /// As it was registered. Whether it still is, and is not blocked, is checked in the commit.
        public let device: Device
        /// The audit record's reason.
        public let reason: String
        public init(_ device: Device, reason: String) { (self.device, self.reason) = (device, reason) }
    }

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
        /// The state of the counter that the verdict was given by; `nil` if it is not told. It decides nothing: a ledger may only save itself a
        /// look where it finds that the counter still has this state.
        public let seen: CounterState?
        public init(device: DeviceID, counter: UInt32, rule: CounterRule, seen: CounterState? = nil) {
            (self.device, self.counter, self.rule, self.seen) = (device, counter, rule, seen)
        }
    }

    /// What an entry has to do with device certificates.
    public struct Certification: Hashable, Sendable {
        /// The certificate that the evidence rests on. It must be on record, and neither revoked nor expired.
        public let restsOn: CertificateName?
        /// The certificate to add. Its device is one that the entry names or registers; `unknown_device` otherwise.
        public let issues: DeviceCertificate?
        /// The submission to count.
        public let submission: Submission?

        public init(
            restsOn: CertificateName? = nil, issues: DeviceCertificate? = nil, submission: Submission? = nil
        ) {
            (self.restsOn, self.issues, self.submission) = (restsOn, issues, submission)
        }
    }

    /// One submission of a device. It is refused if `limit` submissions or more were counted in the 24 hours before.
    public struct Submission: Hashable, Sendable {
        public let device: DeviceID
        public let limit: Int64
        public init(device: DeviceID, limit: Int64) { (self.device, self.limit) = (device, limit) }
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

    /// The certificate whose revocation makes the stored verdict void: the one that the entry issues, or else the one that its evidence
    /// rests on. So a repeated request gets its renewed certificate also after the one before was revoked.
    public var verdictCertificate: CertificateName? { certification?.issues?.name ?? certification?.restsOn }

    /// Who replaces a device, when and why.
    package var replacementContext: ChangeContext? {
        replacement.map { ChangeContext(.caller(audit.caller), at: time, reason: $0.reason) }
    }

    /// Whether a device that the entry registers takes the place of the replaced one among the devices of its subject.
    package func replaces(oneOfSubjectOf device: Device) -> Bool {
        replacement.map { $0.device.app == device.app && $0.device.subject == device.subject } ?? false
    }

    public init(
        time: Timestamp, spends: [Spend], registrations: [Device] = [], devicesPerSubject: UInt32? = nil,
        advances: [Advance] = [], idempotency: Idempotency? = nil, audit: AuditRecord,
        auditClaims: AuditClaims? = nil, subject: [UInt8]? = nil, certification: Certification? = nil,
        replacement: Replacement? = nil, lookups: [IndexedVerdict] = []
    ) {
        self.replacement = replacement
        self.lookups = lookups
        self.time = time
        self.spends = spends
        self.registrations = registrations
        self.devicesPerSubject = devicesPerSubject
        self.advances = advances
        self.idempotency = idempotency
        self.audit = audit
        self.auditClaims = auditClaims
        self.subject = subject
        self.certification = certification
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
