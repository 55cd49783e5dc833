import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

extension AssayClient {
    /// Some of the audit log, with rows of verdicts and of changes (`AuditEntry`), as the daemon gave it: nothing is verified.
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
        from number: Int64 = 0, limit: Int = 0, filter: AuditFilter = AuditFilter(), timeout: Duration? = nil
    ) async throws(AssayError) -> AuditReading {
        var request = Assay_V1_ReadAuditRequest()
        request.from = number
        request.limit = UInt32(clamping: limit)
        filter.write(to: &request)
        let response: Assay_V1_ReadAuditResponse = try await call(
            "/assay.v1.Audit/Read", .idempotent, request, timeout)
        return AuditReading(
            rows: response.rows.map(AuditRow.init), next: response.next, last: response.last,
            start: AuditChain(number: response.startNumber, head: Array(response.startHead)))
    }
}

extension AssayClient {
    /// The claims that are kept beside an audit record.
    public struct KeptClaims: Hashable, Sendable {
        public let claims: Claims
        /// True if they are those of which the record holds the digest.
        public let isGenuine: Bool
    }

    /// The claims beside an audit record of an app; `nil` if none are kept there any more, or never were.
    public func auditClaims(
        of number: Int64, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> KeptClaims? {
        let response: Assay_V1_GetAuditClaimsResponse = try await call(
            "/assay.v1.Audit/GetClaims", .idempotent,
            Assay_V1_GetAuditClaimsRequest.with { ($0.app, $0.number) = (app.text, number) }, timeout)
        return response.kept ? KeptClaims(claims: Claims(response.claims), isGenuine: response.genuine) : nil
    }

    /// Forgets the claims beside all audit records of a device in an app. Returns for how many records there were any.
    public func forgetAuditClaims(
        of device: DeviceID, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Int64 {
        let response: Assay_V1_ForgetAuditClaimsResponse = try await call(
            "/assay.v1.Audit/ForgetClaims", .notIdempotent,
            Assay_V1_ForgetAuditClaimsRequest.with { ($0.app, $0.deviceID) = (app.text, Data(device.bytes)) }, timeout)
        return response.count
    }
}
