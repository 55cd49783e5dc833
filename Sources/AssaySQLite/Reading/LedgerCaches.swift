import AssayLedger

/// What a ledger answers from without its file. Each cache says why what it holds may be relied on.
struct LedgerCaches: Sendable {
    let devices: DeviceCache
    let certificates: CertificateRecordCache
    let submissions: SubmissionCache

    init(_ options: LedgerOptions) {
        devices = DeviceCache(bytes: options.deviceCacheBytes)
        certificates = CertificateRecordCache(bytes: options.certificateCacheBytes)
        submissions = SubmissionCache(bytes: options.submissionCacheBytes)
    }

    /// Applies the changes of the session's transaction, which is committed, before its callers are answered.
    func publish(_ session: WriterSession) {
        let othersWrote = session.othersWrote
        devices.publish(session.deviceChanges, othersWrote: othersWrote)
        certificates.publish(revoked: session.certificates.revoked, othersWrote: othersWrote)
        let counts = session.submissions
        submissions.publish(counts.changed, removed: counts.removed, othersWrote: othersWrote || counts.isPurged)
    }

    func clear() {
        devices.clear()
        certificates.clear()
        submissions.clear()
    }
}
