import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

extension AssayClient {
    /// A part of the audit log, with rows of verdicts and of changes (`AuditEntry`), as the daemon sent it: nothing is verified.
    public struct AuditReading: Hashable, Sendable {
        /// Whose chain it is; `.only` in a ledger with one writer.
        public let writer: AuditWriter
        /// The rows that pass the filter, in the order of their numbers.
        public let rows: [AuditRow]
        /// The number from which to continue.
        public let next: Int64
        /// The number of the last record of the chain.
        public let last: Int64
        /// The chain before the first record that is kept.
        public let start: AuditChain
        /// Whether there was more to read at that moment.
        public var hasMore: Bool { next <= last }
    }

    /// Reads records of the audit log.
    ///
    /// - Parameters:
    ///   - writer: whose chain is read; `.only`: the daemon's own.
    ///   - number: where to begin; 0 for the first record, or one near the filter's time.
    ///   - limit: how many records to look at, including the ones that the filter leaves out; 0 for the daemon's own limit.
    public func audit(
        of writer: AuditWriter = .only, from number: Int64 = 0, limit: Int = 0, filter: AuditFilter = AuditFilter(),
        timeout: Duration? = nil
    ) async throws(AssayError) -> AuditReading {
        var request = Assay_V1_ReadAuditRequest()
        request.from = number
        request.limit = UInt32(clamping: limit)
        request.writer = writer.name
        filter.write(to: &request)
        let response = try await call(API.readAudit, request, timeout)
        guard let writer = AuditWriter(field: response.writer) else {
            throw AssayError(.internalError, "the answer names a writer that cannot be")
        }
        return AuditReading(
            writer: writer, rows: response.rows.map(AuditRow.init), next: response.next, last: response.last,
            start: AuditChain(number: response.startNumber, head: Array(response.startHead)))
    }
}

extension AssayClient {
    /// The claims that are stored beside an audit record.
    public struct KeptClaims: Hashable, Sendable {
        public let claims: Claims
        /// Whether they match the digest in the record.
        public let isGenuine: Bool
    }

    /// The claims beside an audit record of an app; `nil` if none are stored, or none are left.
    ///
    /// - Parameter writer: whose record it is; `.only`: the daemon's own.
    public func auditClaims(
        of number: Int64, by writer: AuditWriter = .only, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> KeptClaims? {
        let response = try await call(
            API.getAuditClaims, .with { ($0.app, $0.number, $0.writer) = (app.text, number, writer.name) }, timeout)
        return response.kept ? KeptClaims(claims: Claims(response.claims), isGenuine: response.genuine) : nil
    }

    /// Deletes the claims beside all audit records of a device in an app. Returns how many records had claims.
    public func forgetAuditClaims(
        of device: DeviceID, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Int64 {
        let response = try await call(
            API.forgetAuditClaims, .with { ($0.app, $0.deviceID) = (app.text, Data(device.bytes)) }, timeout)
        return response.count
    }
}
