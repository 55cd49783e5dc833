import AssayAPI
public import AssayCore

extension AssayClient {
    /// Some of the audit log, as the daemon gave it: nothing is verified.
    public struct AuditReading: Hashable, Sendable {
        /// What the filter let through, in the order of the numbers.
        public let rows: [AuditRow]
        /// Where to go on reading.
        public let next: Int64
        /// The number of the last record of all.
        public let last: Int64
        /// The chain before the first record that is kept.
        public let start: AuditChain
        /// True if there was more to read at that moment.
        public var hasMore: Bool { next <= last }
    }

    /// Reads records of the audit log from a number on; with 0 from the first, or near the filter's time.
    /// `limit`: how many to look at, with those that the filter leaves out; 0 for as many as the daemon looks at.
    public func audit(
        from number: Int64 = 0, limit: Int = 0, filter: AuditFilter = AuditFilter(), timeout: Duration = usualTimeout
    ) async throws(AssayError) -> AuditReading {
        var request = Assay_V1_ReadAuditRequest()
        request.from = number
        request.limit = UInt32(clamping: limit)
        filter.write(to: &request)
        let response: Assay_V1_ReadAuditResponse = try await call("/assay.v1.Audit/Read", request, timeout)
        return AuditReading(
            rows: response.rows.map(AuditRow.init), next: response.next, last: response.last,
            start: AuditChain(number: response.startNumber, head: Array(response.startHead)))
    }
}
