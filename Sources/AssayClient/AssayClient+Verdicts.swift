public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

/// The records of verdicts.
extension AssayClient {
    /// Selects records. A field that is `nil` or empty selects all.
    public struct VerdictFilter: Hashable, Sendable {
        public var app: AppID?
        /// The caller's name in the configuration.
        public var caller = ""
        public var device: DeviceID?
        /// The subject of the caller's requests; with it, `app` is needed.
        public var subject: [UInt8] = []
        public var reason = ""
        public var decision: Assay_V1_VerdictRecord.Decision = .unspecified
        /// Only rejections that were answered ACCEPTED, because the app did not enforce them.
        public var wouldReject = false
        /// Records at this time or later.
        public var since: Timestamp?
        /// Records before this time.
        public var until: Timestamp?

        public init() {}
    }

    /// One page of records, the newest first, for callers with the role `operate`. Continue with the token until it is empty; a page before the
    /// last may have few records, or none.
    public func verdicts(
        _ filter: VerdictFilter = VerdictFilter(), pageSize: UInt32 = 0, pageToken: [UInt8] = [], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListVerdictsResponse {
        try await call(
            API.listVerdicts,
            .with {
                $0.app = filter.app?.text ?? ""
                $0.caller = filter.caller
                $0.deviceID = Data(filter.device?.bytes ?? [])
                $0.subject = Data(filter.subject)
                $0.reason = filter.reason
                $0.decision = filter.decision
                $0.wouldReject = filter.wouldReject
                $0.sinceUnixMs = filter.since?.unixMilliseconds ?? 0
                $0.untilUnixMs = filter.until?.unixMilliseconds ?? 0
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// The record of a request: all of it for callers with the role `operate`, reason and sentence of their own requests for those with the role
    /// `verify`.
    ///
    /// - Parameter requestID: 16 bytes, or the first of them, at least 4.
    public func verdict(
        requestID: [UInt8], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_VerdictRecord {
        try await call(API.getVerdict, .with { $0.requestID = Data(requestID) }, timeout)
    }

    /// The accepted verdicts on a file, the newest first, for apps with the section `lookup` and callers with the role `verify`. That there are none
    /// is an answer (`found`), and no error.
    ///
    /// - Parameters:
    ///   - payloadSHA256: of the payload as it was bound, of a file of a capture, or of a camera's image: 32 bytes.
    ///   - sourceAddress: of the caller's own client, by which look-ups are counted.
    ///   - results: the answer signed for others, of the shapes `plain-jws` and `plain-cose`.
    public func findVerdicts(
        of app: AppID, payloadSHA256: [UInt8], sourceAddress: SourceAddress? = nil, results: [ResultRequest] = [],
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_FindVerdictsResponse {
        try await call(
            API.findVerdicts,
            .with {
                ($0.app, $0.payloadSha256) = (app.text, Data(payloadSHA256))
                $0.sourceAddress = sourceAddress?.text ?? ""
                $0.results = results.map(\.message)
            }, timeout)
    }
}
