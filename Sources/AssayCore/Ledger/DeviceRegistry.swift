/// The facts that the pipeline reads before it judges a request. Nothing here changes the ledger.
///
/// An answer may be outdated by the time of the commit: `VerdictLedger.commit` checks devices and blocks again.
public protocol DeviceFacts: Sendable {
    /// The device that is registered with a key; `nil` if there is none.
    func device(_ key: DeviceKey) async throws(LedgerError) -> Device?

    /// The same for several keys, in their order. The failure of one does not affect the others. A ledger that each question is a trip to asks once.
    func devices(of keys: [DeviceKey]) async -> [Result<Device?, LedgerError>]

    /// The device with an id; `nil` if there is none.
    func device(_ id: DeviceID) async throws(LedgerError) -> Device?

    /// The number of devices, of all apps, that one attestation key attested and that were registered in the 24 hours up to
    /// `now`. Counting stops at `AttestationKeyUse.limit`.
    ///
    /// - Parameter key: SHA-256 of the key's SubjectPublicKeyInfo; an empty one has no devices.
    func use(ofAttestationKey key: [UInt8], at now: Timestamp) async throws(LedgerError) -> AttestationKeyUse

    /// Whether a subject is blocked in an app.
    ///
    /// - Parameter subject: its keyed hash, 32 bytes.
    func isBlocked(subject: [UInt8], of app: AppID) async throws(LedgerError) -> Bool
}

extension DeviceFacts {
    public func devices(of keys: [DeviceKey]) async -> [Result<Device?, LedgerError>] {
        var found: [Result<Device?, LedgerError>] = []
        found.reserveCapacity(keys.count)
        for key in keys {
            do throws(LedgerError) { found.append(.success(try await device(key))) } catch { found.append(.failure(error)) }
        }
        return found
    }
}

/// The device records: look-up, listing, import, removal. `VerdictLedger.commit` registers devices with attestation evidence.
///
/// Each change is durable on return and recorded in the audit log in the same transaction.
public protocol DeviceRegistry: DeviceFacts {
    /// A page of the devices of one app, in the order of registration. A listing shows each device that is registered during all of
    /// it exactly once, even if devices are registered or forgotten between its pages.
    func devices(_ listing: DeviceListing) async throws(LedgerError) -> DevicePage

    /// Adds devices that were attested elsewhere. One outcome for each, in order; the outcome of one does not depend on the
    /// others, and all are durable together. The audit log gets one record for each app with added devices.
    func add(imported devices: [Device], _ context: ChangeContext) async throws(LedgerError) -> [ImportOutcome]

    /// Removes a device's record, its stored verdicts, those that `PayloadIndex` keeps, and all other data about it except the audit log, the
    /// records of `CertificateRegistry` and `EnrolmentRegistry`, and its places in status lists, which are invalid then; its certificates are revoked, and their DER is removed. If the device was
    /// blocked by any kind of block, its key stays blocked; otherwise the key can be registered again. `nil` if there is no such
    /// device.
    func forget(_ id: DeviceID, _ context: ChangeContext) async throws(LedgerError) -> ForgottenDevice?
}

/// A query for a page of the devices of one app.
public struct DeviceListing: Hashable, Sendable {
    public let app: AppID
    /// Only devices of this subject: its keyed hash, 32 bytes; `nil`: of any.
    public let subject: [UInt8]?
    /// Only blocked devices, or only devices that are not blocked; `nil`: both.
    public let isBlocked: Bool?
    /// Only devices with this flag, of any setter, that stands at the given time; `nil`: with and without flags.
    public let flag: Flag?
    /// `DevicePage.next` of the page before; 0 for the first page.
    public var position: Int64
    /// The most devices on the page.
    public let limit: Int

    public init(app: AppID, subject: [UInt8]? = nil, isBlocked: Bool? = nil, flag: Flag? = nil, position: Int64 = 0, limit: Int)
    {
        self.app = app
        self.subject = subject
        self.isBlocked = isBlocked
        self.flag = flag
        self.position = position
        self.limit = limit
    }

    /// A flag that a listing asks for.
    public struct Flag: Hashable, Sendable {
        public let name: String
        /// The time of the listing.
        public let now: Timestamp
        public init(name: String, at now: Timestamp) { (self.name, self.now) = (name, now) }
    }

    /// Whether a device has the state and the flag that are asked for.
    public func selects(isBlocked blocked: Bool, flags: [DeviceFlag]) -> Bool {
        guard isBlocked ?? blocked == blocked else { return false }
        guard let flag else { return true }
        return flags.contains { $0.name == flag.name && $0.stands(at: flag.now) }
    }
}

/// A page of devices.
public struct DevicePage: Hashable, Sendable {
    public let devices: [Device]
    /// The position of the next page; `nil` on the last. A page can be short or empty although others follow: a ledger reads a
    /// bounded number of records for each.
    public let next: Int64?

    public init(devices: [Device], next: Int64?) { (self.devices, self.next) = (devices, next) }
}

/// The result of removing a device.
public struct ForgottenDevice: Hashable, Sendable {
    /// True if the device was blocked: its key has a block of its own now.
    public let keyStaysBlocked: Bool
    public init(keyStaysBlocked: Bool) { self.keyStaysBlocked = keyStaysBlocked }
}
