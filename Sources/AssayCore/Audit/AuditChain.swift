/// The state of the audit log's hash chain: the number of the last record, and the hash at its head.
///
/// `append` is the definition of the chain: ledgers continue it, and `AuditVerifier` follows it again.
public struct AuditChain: Hashable, Sendable {
    /// The number of the last record; 0 before the first. Records are numbered from 1 without gaps.
    public private(set) var number: Int64
    /// The hash at the head: SHA-256, 32 bytes.
    public private(set) var head: [UInt8]

    /// The chain of an empty log. Its head is 32 zero bytes.
    public init() { (number, head) = (0, [UInt8](repeating: 0, count: 32)) }

    /// The chain after a known record.
    public init(number: Int64, head: [UInt8]) { (self.number, self.head) = (number, head) }

    /// Appends a record's canonical bytes. The new head is SHA-256 over the label `assay.audit.v1` and, each behind its length
    /// (`FieldDigest`), the head before, the record's number, its time (milliseconds since 1970) and its bytes.
    public mutating func append(_ record: [UInt8], at time: Timestamp) {
        // A ledger never gets as far as 9·10¹⁸ records. A forged number may wrap; then no head fits.
        number &+= 1
        var hash = FieldDigest("assay.audit.v1")
        hash.append(head)
        hash.append(UInt64(bitPattern: number))
        hash.append(UInt64(bitPattern: time.unixMilliseconds))
        hash.append(record)
        head = hash.finalize()
    }

    /// The chain after one more record.
    public func appending(_ record: [UInt8], at time: Timestamp) -> AuditChain {
        var next = self
        next.append(record, at: time)
        return next
    }
}
