package import AssayCore

/// A cache of the records of certificates that are not revoked, bounded by their size in bytes.
///
/// Nothing of a record changes but by its revocation, and by the removal of its DER, which comes with one. So a published revocation removes
/// the record, and one that is read after that is not cached: who was told of a revocation, or of the block or removal of a device that
/// revokes its certificates, is given no record without it. The end of a certificate is in the record, and judged at each use. A commit asks
/// the store again whether the certificate is revoked or has ended.
package final class CertificateRecordCache: Sendable {
    private let records: ReadCache<CertificateName, DeviceCertificate>

    package init(bytes: Int) {
        records = ReadCache(bytes: bytes, spread: { $0.serial.last ?? 0 }, weigh: \.approximateBytes)
    }

    /// The record, if it is cached, and the epoch to pass to ``insert(_:readAfter:)`` if it is not.
    package func certificate(_ name: CertificateName) -> (certificate: DeviceCertificate?, epoch: UInt64) {
        let (value, epoch) = records.value(for: name)
        return (value, epoch)
    }

    /// Caches a record that was read after `epoch`, unless it is revoked, or a transaction was published since: the record may be older.
    package func insert(_ certificate: DeviceCertificate, readAfter epoch: UInt64) {
        guard certificate.revocation == nil else { return }
        records.insert(certificate, for: certificate.name, readAfter: epoch)
    }

    /// Applies the revocations of a committed transaction, before its callers are answered.
    package func publish(revoked names: [CertificateName], othersWrote: Bool) {
        records.publish(othersWrote: othersWrote)
        for name in names { records.remove(name) }
    }

    package func clear() { publish(revoked: [], othersWrote: true) }

    /// Look-ups that found a record, and those that did not.
    package var lookUps: (hits: UInt64, misses: UInt64) { records.lookUps }
}

extension DeviceCertificate {
    /// The approximate heap size, in bytes. 600 stands for the record itself and its names.
    fileprivate var approximateBytes: Int { 600 + der.count }
}
