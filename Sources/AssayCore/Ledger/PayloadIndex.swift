/// Accepted verdicts by the hash of the payload that the device's signature covered, for apps that keep it. A capture of several files has an entry
/// for each of them too.
///
/// The index has no hash of a payload: it has an HMAC under a secret of the ledger. Entries are written with their verdict, in one transaction
/// (`LedgerEntry.lookups`), and each is kept until the instant that it names; `LedgerMaintenance.purge` forgets it then. Entries of a device that is
/// forgotten (`DeviceRegistry.forget`) go with it. Those of a device that another one replaced stay, because what it signed is as true as before,
/// until that device is forgotten by its id.
public protocol PayloadIndex: Sendable {
    /// The newest verdicts on a payload that are kept at `now`, at most `limit`, the newest first; of verdicts of one instant the one that was
    /// committed last.
    ///
    /// - Parameter key: HMAC-SHA256 over the app and the payload's SHA-256, 32 bytes.
    func verdicts(onPayload key: [UInt8], at now: Timestamp, limit: Int) async throws(LedgerError) -> [IndexedVerdict]
}

/// A verdict as the index has it under one hash.
public final class IndexedVerdict: Sendable {
    /// HMAC-SHA256, 32 bytes.
    public let key: [UInt8]
    /// The device of the verdict; `nil` if it names none.
    public let device: DeviceID?
    public let time: Timestamp
    /// The entry is kept until then.
    public let until: Timestamp
    /// What the service answers with, at most ``contentLimit`` bytes; the ledger does not read it.
    public let content: [UInt8]

    /// An evidence model of 16 files and 32 signals fits.
    public static let contentLimit = 8192
    /// The most of one verdict: the payload and 16 files.
    public static let countLimit = 17

    public init(key: [UInt8], device: DeviceID?, time: Timestamp, until: Timestamp, content: [UInt8]) {
        (self.key, self.device, self.time, self.until, self.content) = (key, device, time, until, content)
    }
}

extension IndexedVerdict: Hashable {
    public static func == (a: IndexedVerdict, b: IndexedVerdict) -> Bool {
        a.key == b.key && a.device == b.device && a.time == b.time && a.until == b.until && a.content == b.content
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(time)
    }
}
