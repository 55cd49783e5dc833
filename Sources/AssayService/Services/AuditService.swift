import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Audit`: reads the audit log.
package struct AuditService: Sendable {
    /// The most bytes of rows in one answer, well below the shortest limit of a frame. A single longer row is answered alone.
    private static let answerLimit = 48 << 10
    /// How much earlier than `since` the search begins, in milliseconds: records of one moment are a little out of order, and clocks
    /// are set back a little.
    private static let disorder: Int64 = 60_000

    private let ledger: any AuditLog
    private let clock: any WallClock
    private let requestLog: RequestLog

    package init(ledger: any AuditLog, clock: any WallClock, requestLog: RequestLog) {
        (self.ledger, self.clock, self.requestLog) = (ledger, clock, requestLog)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.readAudit, reading: { ($0, try AuditFilter($0), try AuditWriter?(field: $0.writer)) }) {
                caller, fields in
                try await page(fields.0, fields.1, AuditChainReader(ledger: ledger, writer: fields.2), caller)
            }
        ] + AuditClaimsMethods(ledger: ledger, clock: clock, requestLog: requestLog).methods
    }

    private func page(
        _ request: Assay_V1_ReadAuditRequest, _ filter: AuditFilter, _ chain: AuditChainReader, _ caller: Caller
    ) async throws -> Assay_V1_ReadAuditResponse {
        var from = request.from
        if from <= 0, let since = filter.since { from = try await start(since, chain) }
        let limit = request.limit == 0 ? AuditPage.limit : Int(clamping: request.limit)
        return answer(try await chain.page(from: from, limit: limit), from: from, filter, caller)
    }

    private func answer(
        _ page: AuditPage, from: Int64, _ filter: AuditFilter, _ caller: Caller
    ) -> Assay_V1_ReadAuditResponse {
        var response = Assay_V1_ReadAuditResponse()
        response.writer = page.writer.name
        response.last = page.last
        response.startNumber = page.start.number
        response.startHead = Data(page.start.head)
        response.next = page.rows.isEmpty ? max(from, page.last &+ 1) : from
        var bytes = 0
        for row in page.rows {
            if filter.admits(row), caller.mayRead(row) {
                bytes += row.record.count + row.head.count + 24
                guard bytes <= Self.answerLimit || response.rows.isEmpty else { break }
                response.rows.append(row.message)
            }
            response.next = row.number &+ 1
        }
        return response
    }

    /// A number near the first record at a time or later, by halving. Where the clock was set back, records are not ordered by their
    /// time, and the number is only approximate.
    private func start(_ since: Timestamp, _ chain: AuditChainReader) async throws -> Int64 {
        let edge = since.adding(milliseconds: -Self.disorder)
        let page = try await chain.page(from: .min, limit: 1)
        var (low, high) = (page.start.number &+ 1, page.last &+ 1)
        // 64 halvings find any number; a damaged ledger cannot make them more.
        for _ in 0..<64 where low < high {
            let middle = low &+ (high &- low) / 2
            let row = try await chain.page(from: middle, limit: 1).rows.first
            if let row, row.time < edge { low = row.number &+ 1 } else { high = middle }
        }
        return low
    }
}

/// Reads the chain of the writer that a request names.
private struct AuditChainReader {
    let ledger: any AuditLog
    /// `nil`: the daemon's own.
    let writer: AuditWriter?

    func page(from number: Int64, limit: Int) async throws -> AuditPage {
        guard let writer else { return try await ledger.audit(from: number, limit: limit) }
        guard let page = try await ledger.audit(of: writer, from: number, limit: limit) else { throw RPCError.unknownWriter }
        return page
    }

    func claims(of number: Int64) async throws(LedgerError) -> AuditClaims? {
        guard let writer else { return try await ledger.auditClaims(of: number) }
        return try await ledger.auditClaims(of: number, by: writer)
    }
}

extension RPCError {
    fileprivate static let unknownWriter = RPCError(
        .notFound, "the audit log has no writer of that name; the status names them", reason: "unknown_writer")
}

extension Caller {
    /// A caller that is limited to some apps reads only their records, and no records that concern all apps.
    fileprivate func mayRead(_ row: AuditRow) -> Bool {
        guard apps != nil else { return true }
        return AuditEntry(decoding: row.record)?.app.map { may(use: $0) } ?? false
    }
}

/// The methods of `assay.v1.Audit` about claims, which are personal data: they need the role `devices`.
struct AuditClaimsMethods: Sendable {
    private let ledger: any AuditLog
    private let clock: any WallClock
    private let requestLog: RequestLog

    init(ledger: any AuditLog, clock: any WallClock, requestLog: RequestLog) {
        (self.ledger, self.clock, self.requestLog) = (ledger, clock, requestLog)
    }

    var methods: [MethodBody] {
        [
            .unary(API.getAuditClaims, reading: { ($1.number, try AuditWriter?(field: $1.writer)) }) { _, app, fields in
                let chain = AuditChainReader(ledger: ledger, writer: fields.1)
                return try await keptClaims(ofRecord: fields.0, chain, app.id) ?? Assay_V1_GetAuditClaimsResponse()
            },
            .unary(API.forgetAuditClaims, reading: { try DeviceID(field: "device_id", $1.deviceID) }, forget),
        ]
    }

    /// `nil` where no claims are kept, or the record is not the app's.
    private func keptClaims(
        ofRecord number: Int64, _ chain: AuditChainReader, _ app: AppID
    ) async throws -> Assay_V1_GetAuditClaimsResponse? {
        let row = try await chain.page(from: number, limit: 1).rows.first
        guard let row, row.number == number, let record = AuditRecord(decoding: row.record), record.app == app,
            let kept = try await chain.claims(of: row.number)
        else { return nil }
        return .with {
            $0.kept = true
            $0.genuine = kept.digest == record.claimsDigest
            $0.claims = Claims(decoding: kept.claims)?.messages ?? []
        }
    }

    private func forget(
        _ caller: Caller, _ app: AppProfile, _ device: DeviceID
    ) async throws(LedgerError) -> Assay_V1_ForgetAuditClaimsResponse {
        // By the app of the records, which is known even for a device that is not in the registry any more.
        let count = try await ledger.forgetAuditClaims(
            of: device, app: app.id, ChangeContext(.caller(caller.name), at: clock.now()))
        requestLog.changed("deleted claims", by: caller, app: app.id, ["device": "\(device)", "records": "\(count)"])
        return .with { $0.count = count }
    }
}
