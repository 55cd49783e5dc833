extension AuditRecord {
    /// The hash at the head of the chain after this record: SHA-256 over a tag, the head before it (32 zero bytes at the
    /// start), the record's number, its time and its fields.
    public func head(after previous: [UInt8], number: Int64, time: Timestamp) -> [UInt8] {
        var hash = FieldDigest("assay.audit.v1")
        hash.append(previous)
        hash.append(UInt64(bitPattern: number))
        hash.append(UInt64(bitPattern: time.unixMilliseconds))
        hash.append(requestID)
        hash.append(caller)
        hash.append(app.text)
        hash.append(UInt64(purpose.rawValue))
        hash.append(device?.bytes ?? [])
        hash.append(UInt64(assurance.rawValue))
        hash.append(evidenceDigest)
        hash.append(policyDigest)
        hash.append(simulated ? 1 : 0)
        return hash.finalize()
    }

    /// The head of an empty log.
    public static let emptyHead = [UInt8](repeating: 0, count: 32)
}
