import AssayAPI
package import AssayCore
package import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Audit`: reads the audit log.
package struct AuditService: Sendable {
    /// The most bytes of rows in one answer: well below the shortest limit of a frame, but for a single long row.
    private static let answerLimit = 48 << 10
    /// Verdicts of one moment are recorded a little out of order, and clocks are set back a little: `since` begins to look so
    /// many milliseconds earlier.
    private static let disorder: Int64 = 60_000

    private let authorizer: CallAuthorizer
    private let ledger: any AuditLog
    private let clock: any WallClock
    /// Through which long readings go.
    private let limiter: ConcurrencyLimiter

    package init(authorizer: CallAuthorizer, ledger: any AuditLog, clock: any WallClock, limiter: ConcurrencyLimiter) {
        (self.authorizer, self.ledger, self.clock, self.limiter) = (authorizer, ledger, clock, limiter)
    }

    package var methods: [RPCMethod] {
        [
            RPCMethod(
                path: MethodDeclaration.readAudit.path,
                handler: .unary { call async throws(RPCError) in try await read(call) })
        ] + AuditClaimsMethods(authorizer: authorizer, ledger: ledger, clock: clock).methods
    }

    private func read(_ call: RPCCall) async throws(RPCError) -> Assay_V1_ReadAuditResponse {
        let caller = try authorizer.admit(call.peer, to: .readAudit)
        let request = try call.decode(Assay_V1_ReadAuditRequest.self)
        let filter: AuditFilter
        do { filter = try AuditFilter(request) } catch { throw RPCError(error) }
        // The records of an app outlive it, so it need not exist any more.
        if let app = filter.app, !caller.may(use: app) {
            throw authorizer.denial(of: caller, .notItsApp, .readAudit)
        }
        return try await limiter.pass(call) { () async throws(RPCError) in
            do throws(LedgerError) { return try await page(request, filter, caller) } catch { throw RPCError(error) }
        }
    }

    private func page(
        _ request: Assay_V1_ReadAuditRequest, _ filter: AuditFilter, _ caller: Caller
    ) async throws(LedgerError) -> Assay_V1_ReadAuditResponse {
        var from = request.from
        if from <= 0, let since = filter.since { from = try await start(since) }
        let limit = request.limit == 0 ? AuditPage.limit : Int(clamping: request.limit)
        return answer(try await ledger.audit(from: from, limit: limit), from: from, filter, caller)
    }

    private func answer(
        _ page: AuditPage, from: Int64, _ filter: AuditFilter, _ caller: Caller
    ) -> Assay_V1_ReadAuditResponse {
        var response = Assay_V1_ReadAuditResponse()
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

    /// A number near the first record at a time or later, by halving: clocks may have been set back, and then there is no
    /// such number, only one with which to begin.
    private func start(_ since: Timestamp) async throws(LedgerError) -> Int64 {
        let edge = since.adding(milliseconds: -Self.disorder)
        let page = try await ledger.audit(from: .min, limit: 1)
        var (low, high) = (page.start.number &+ 1, page.last &+ 1)
        // 64 halvings find any number; what lies in a damaged ledger cannot make them more.
        for _ in 0..<64 where low < high {
            let middle = low &+ (high &- low) / 2
            let row = try await ledger.audit(from: middle, limit: 1).rows.first
            if let row, row.time < edge { low = row.number &+ 1 } else { high = middle }
        }
        return low
    }
}

extension Caller {
    /// A caller with some apps reads only what is of these; what concerns all apps is not.
    fileprivate func mayRead(_ row: AuditRow) -> Bool {
        guard apps != nil else { return true }
        return AuditEntry(decoding: row.record)?.app.map { may(use: $0) } ?? false
    }
}
