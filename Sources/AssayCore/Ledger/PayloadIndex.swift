/// Accepted verdicts by the hash of the payload that the device's signature covered, for apps that keep it.
///
/// The index has no hash of a payload: it has an HMAC under a secret of the ledger. An entry is written with its verdict (`LedgerEntry.lookup`).
public protocol PayloadIndex: Sendable {
    /// The newest verdicts on a payload that are kept at `now`, at most `limit`, the newest first.
    ///
    /// - Parameter key: HMAC-SHA256 over the app and the payload's SHA-256, 32 bytes.
    func verdicts(onPayload key: [UInt8], at now: Timestamp, limit: Int) async throws(LedgerError) -> [IndexedVerdict]

    /// Forgets entries that are kept until before `now`.
    ///
    /// - Returns: how many were forgotten.
    func purgePayloadIndex(at now: Timestamp, limit: Int) async throws(LedgerError) -> Int
}

/// A verdict as the index has it.
public struct IndexedVerdict: Hashable, Sendable {
    /// HMAC-SHA256, 32 bytes.
    public let key: [UInt8]
    /// `nil` if the verdict names no device. Entries of a device that is forgotten are removed with it.
    public let device: DeviceID?
    public let time: Timestamp
    /// The entry is kept until then.
    public let until: Timestamp
    /// What the service answers with, at most ``contentLimit`` bytes; the ledger does not read it.
    public let content: [UInt8]

    public static let contentLimit = 2048

    public init(key: [UInt8], device: DeviceID?, time: Timestamp, until: Timestamp, content: [UInt8]) {
        (self.key, self.device, self.time, self.until, self.content) = (key, device, time, until, content)
    }
}
