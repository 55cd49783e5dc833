import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Verdicts`: why requests were answered as they were.
package struct VerdictsService: Sendable {
    /// The longest record of a listing takes about 2 KiB, so that the longest page stays below a frame of 1 MiB.
    static let pageSize = PageSize(usual: 100, longest: 200)
    /// How many of the newest audit records of each writer are searched for an acceptance.
    package static let auditSearch: Int64 = 200_000
    /// The fewest bytes of a request id that name a record.
    static let shortestPrefix = 4
    private static let idLength = 16

    private let recorder: VerdictRecorder
    private let apps: AppDirectory
    private let subjects: SubjectKey
    private let ledger: any AuditLog

    package init(recorder: VerdictRecorder, apps: AppDirectory, subjects: SubjectKey, ledger: any AuditLog) {
        (self.recorder, self.apps, self.subjects, self.ledger) = (recorder, apps, subjects, ledger)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.listVerdicts, reading: listing) { caller, listing in try await page(listing, caller) },
            .unary(API.getVerdict) { caller, request in try await record(request, caller) },
        ]
    }

    // MARK: List

    private func page(
        _ listing: VerdictRecordListing, _ caller: Caller
    ) async throws -> Assay_V1_ListVerdictsResponse {
        guard let store = recorder.settled() else { return Assay_V1_ListVerdictsResponse() }
        var listing = listing
        listing.scope.apps = caller.apps
        var response = Assay_V1_ListVerdictsResponse()
        do throws(VerdictRecordError) {
            let page = try await store.page(listing)
            response.records = page.records.map(\.listed)
            if let next = page.next { response.nextPageToken = Data(PageToken(position: next, of: listing).bytes) }
        } catch {
            throw RPCError.recordsUnavailable(error)
        }
        response.state = store.status.message(for: caller)
        return response
    }

    private func listing(_ request: Assay_V1_ListVerdictsRequest) throws(RequestError) -> VerdictRecordListing {
        var listing = VerdictRecordListing(limit: try Self.pageSize.limit(request.pageSize))
        if !request.app.isEmpty { listing.app = try AppID(field: request.app) }
        if !request.caller.isEmpty {
            try request.caller.check("caller", limit: RecordLimits.name)
            listing.caller = request.caller
        }
        if !request.deviceID.isEmpty { listing.device = try DeviceID(field: "device_id", request.deviceID) }
        let subject = try request.subject.bounded("subject", by: VerificationRequest.subjectLimit)
        if !subject.isEmpty {
            guard let app = listing.app else {
                throw RequestError("app", "must be set with a subject, whose hash differs for each app")
            }
            listing.subject = subjects.hash(subject, app: app)
        }
        if !request.reason.isEmpty {
            try request.reason.check("reason", limit: FailureCode.lengthLimit)
            listing.reason = request.reason
        }
        listing.decision = try VerdictRecord.Decision(field: request.decision)
        listing.wouldReject = request.wouldReject
        if request.sinceUnixMs != 0 { listing.since = Timestamp(unixMilliseconds: request.sinceUnixMs) }
        if request.untilUnixMs != 0 { listing.until = Timestamp(unixMilliseconds: request.untilUnixMs) }
        return try listing.continued(by: request.pageToken)
    }

    // MARK: Get

    private func record(
        _ request: Assay_V1_GetVerdictRequest, _ caller: Caller
    ) async throws -> Assay_V1_VerdictRecord {
        let id = try request.requestID.bounded("request_id", by: Self.idLength)
        guard id.count >= Self.shortestPrefix else {
            throw RequestError("request_id", "must have \(Self.shortestPrefix) to \(Self.idLength) bytes, not \(id.count)")
        }
        let isOperator = caller.roles.contains(.operate)
        var found: [VerdictRecord] = []
        if let store = recorder.settled() {
            do throws(VerdictRecordError) {
                found = try await store.records(
                    id, in: VerdictRecordScope(apps: caller.apps, caller: isOperator ? nil : caller.name))
            } catch {
                // What was accepted is in the audit log all the same.
                guard isOperator, let accepted = try await acceptance(id, caller) else {
                    throw RPCError.recordsUnavailable(error)
                }
                return accepted
            }
        }
        guard found.count < 2 || found.allSatisfy({ $0.request.id == found.first?.request.id }) else {
            throw RPCError.ambiguousRequest
        }
        if let record = found.first { return isOperator ? whole(record) : record.summary }
        guard isOperator, let accepted = try await acceptance(id, caller) else { throw RPCError.unknownRequest }
        return accepted
    }

    private func whole(_ record: VerdictRecord) -> Assay_V1_VerdictRecord {
        let keys = apps[record.request.app]?.policyKeys
        var message = record.message { finding in
            finding.outcome == .pass ? nil : keys?.key(of: finding, in: record.request.formats)
        }
        // A plugin's own code, and the reason of an error, have no guidance.
        if let guidance = record.reason.flatMap({ ReasonCode(rawValue: $0.code) })?.guidance {
            (message.cause, message.remedy) = (guidance.cause, guidance.remedy)
        }
        return message
    }

    /// The acceptance among the newest audit records of all writers whose request id begins with `id`.
    private func acceptance(_ id: [UInt8], _ caller: Caller) async throws -> Assay_V1_VerdictRecord? {
        var found: Acceptance?
        for writer in try await ledger.auditWriters() {
            try await search(writer, for: id, caller, &found)
            // A whole id is found once.
            if found != nil, id.count == Self.idLength { break }
        }
        return found.map { Assay_V1_VerdictRecord($0.record, number: $0.row.number, by: $0.writer, at: $0.row.time) }
    }

    private struct Acceptance {
        let record: AuditRecord
        let row: AuditRow
        let writer: AuditWriter
    }

    private func search(
        _ writer: AuditWriter, for id: [UInt8], _ caller: Caller, _ found: inout Acceptance?
    ) async throws {
        guard var end = try await ledger.audit(of: writer, from: .max, limit: 1)?.last else { return }
        let first = end &- Self.auditSearch
        while end > 0, end > first {
            try Task.checkCancellation()
            let start = max(1, end &- Int64(AuditPage.limit) &+ 1)
            guard let page = try await ledger.audit(of: writer, from: start, limit: AuditPage.limit) else { return }
            for row in page.rows where row.number <= end {
                guard row.record.containsRequestID(beginning: id), let record = AuditRecord(decoding: row.record),
                    record.requestID.starts(with: id), caller.may(use: record.app)
                else { continue }
                guard found == nil || found?.record.requestID == record.requestID else { throw RPCError.ambiguousRequest }
                found = Acceptance(record: record, row: row, writer: writer)
            }
            if found != nil, id.count == Self.idLength { return }
            end = start &- 1
        }
    }
}

extension [UInt8] {
    /// Whether these bytes stand where an audit record has its request id: after four bytes, behind its length. Cheaper than decoding each.
    fileprivate func containsRequestID(beginning id: [UInt8]) -> Bool { dropFirst(8).starts(with: id) }
}

extension VerdictRecordStatus {
    /// The problem names a path, which is for callers of all apps.
    func message(for caller: Caller) -> Assay_V1_VerdictRecordState {
        var state = message
        if caller.apps != nil, !state.problem.isEmpty { state.problem = "the log says why" }
        return state
    }
}

extension RPCError {
    /// The same for an unknown id as for one that the caller may not see.
    fileprivate static let unknownRequest = RPCError(
        .notFound,
        "no verdict with this request id is on record: it is older than the records that are kept, was one of a flood of which a sample is "
            + "kept (assay verdicts list has their number), or does not exist", reason: "unknown_request")
    fileprivate static let ambiguousRequest = RPCError(
        .failedPrecondition, "several request ids on record begin like this: give more of it", reason: "ambiguous_request_id")

    fileprivate static func recordsUnavailable(_ error: VerdictRecordError) -> RPCError {
        RPCError(
            .unavailable, "the records of verdicts cannot be read now; verdicts go on", reason: "records_unavailable",
            retryAfterMilliseconds: 1000, cause: error.description)
    }
}
