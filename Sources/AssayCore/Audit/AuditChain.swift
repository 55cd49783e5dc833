/// How far the audit log has come: the number of its last record, and the hash at its head.
///
/// This is the one statement of the chain: ledgers continue it, and whoever verifies it follows it again.
public struct AuditChain: Hashable, Sendable {
    /// The number of the last record; 0 if there is none. Records are numbered from 1 without gaps.
    public private(set) var number: Int64
    /// SHA-256, 32 bytes.
    public private(set) var head: [UInt8]

    /// The chain of an empty log: 32 zero bytes.
    public init() { (number, head) = (0, [UInt8](repeating: 0, count: 32)) }

    /// The chain where somebody else left it.
    public init(number: Int64, head: [UInt8]) { (self.number, self.head) = (number, head) }

    /// Adds a record's canonical bytes. The new head is SHA-256 over the label `assay.audit.v1`, the head before, the
    /// record's number, its time and its bytes, each behind its length (`FieldDigest`).
    public mutating func append(_ record: [UInt8], at time: Timestamp) {
        // A number that wraps is never met: it takes 9·10¹⁸ records, or somebody who wrote it, and then no head fits.
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
