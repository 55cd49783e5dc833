import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// What verdicts went by, for judging it again elsewhere.
extension PoliciesService {
    static let recordingPageSize = PageSize(usual: 100, longest: 500)

    func page(_ query: RecordingQuery, _ caller: Caller) async throws -> Assay_V1_ListRecordingsResponse {
        var listing = query.listing
        listing.apps = caller.apps
        do throws(VerdictRecordError) {
            var response = Assay_V1_ListRecordingsResponse()
            if listing.after == nil { response.total = try await recordings.count(listing) }
            let page = try await recordings.page(listing)
            response.recordings = page.recordings.map { content in
                .with {
                    $0.content = Data(content.recording)
                    if query.withEvidence, let evidence = recordings.evidence(of: content) { $0.evidence = Data(evidence) }
                }
            }
            if let next = page.next { response.nextPageToken = Data(PageToken(position: next, of: listing).bytes) }
            return response
        } catch {
            throw RPCError.recordingsUnavailable(error)
        }
    }

    func delete(_ caller: Caller, _ fields: DeletionFields) async throws -> Assay_V1_DeleteRecordingsResponse {
        do throws(VerdictRecordError) {
            let count = try await recordings.forget(fields.device, of: fields.app, evidenceOnly: fields.evidenceOnly)
            requestLog.changed(
                fields.evidenceOnly ? "deleted kept evidence" : "deleted recordings", by: caller, app: fields.app,
                ["device": "\(fields.device)", "count": "\(count)"])
            return .with { $0.deleted = count }
        } catch {
            throw RPCError.recordingsUnavailable(error)
        }
    }
}

extension RPCError {
    static func recordingsUnavailable(_ error: VerdictRecordError) -> RPCError {
        RPCError(
            .unavailable, "the recordings of verdicts cannot be read or changed now; verdicts go on",
            reason: "recordings_unavailable", retryAfterMilliseconds: 1000, cause: error.description)
    }
}

/// The fields of `ListRecordings`.
struct RecordingQuery: Sendable {
    var listing: RecordingListing
    let withEvidence: Bool

    init(_ request: Assay_V1_ListRecordingsRequest) throws(RequestError) {
        var listing = RecordingListing(limit: try PoliciesService.recordingPageSize.limit(request.pageSize))
        if !request.app.isEmpty { listing.app = try AppID(field: request.app) }
        if request.sinceUnixMs != 0 { listing.since = Timestamp(unixMilliseconds: request.sinceUnixMs) }
        if request.untilUnixMs != 0 { listing.until = Timestamp(unixMilliseconds: request.untilUnixMs) }
        self.listing = try listing.continued(by: request.pageToken)
        withEvidence = request.evidence
    }
}

/// The fields of `DeleteRecordings`.
struct DeletionFields: Sendable {
    let app: AppID
    let device: DeviceID
    let evidenceOnly: Bool

    init(_ request: Assay_V1_DeleteRecordingsRequest) throws(RequestError) {
        app = try AppID(field: request.app)
        device = try DeviceID(field: "device_id", request.deviceID)
        evidenceOnly = request.evidenceOnly
    }
}
