/// What the pipeline reads before it judges a request. Nothing here changes the ledger.
///
/// An answer may be outdated by the time of the commit: `VerdictLedger.commit` checks devices and blocks again.
public protocol DeviceFacts: Sendable {
    /// The device that is registered with a key; `nil` if there is none.
    func device(_ key: DeviceKey) async throws(LedgerError) -> Device?

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
