public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

/// What judges apps, for callers with the role `operate`.
extension AssayClient {
    /// One page of policies without their texts, the newest first. Continue with the token until it is empty; a page before the last may have
    /// few policies, or none.
    public func policies(
        of app: AppID? = nil, pageSize: UInt32 = 0, pageToken: [UInt8] = [], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListPoliciesResponse {
        try await call(
            API.listPolicies,
            .with {
                $0.app = app?.text ?? ""
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// One page of what verdicts went by, in the order of their times, where apps record it. Continue with the token until it is empty.
    ///
    /// - Parameter withEvidence: whether kept evidence is sent too.
    public func recordings(
        of app: AppID? = nil, since: Timestamp? = nil, until: Timestamp? = nil, withEvidence: Bool = true, pageSize: UInt32 = 0,
        pageToken: [UInt8] = [], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListRecordingsResponse {
        try await call(
            API.listRecordings,
            .with {
                $0.app = app?.text ?? ""
                $0.sinceUnixMs = since?.unixMilliseconds ?? 0
                $0.untilUnixMs = until?.unixMilliseconds ?? 0
                $0.evidence = withEvidence
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// Deletes what is recorded of a device, or its kept evidence alone. Returns how many recordings that concerned.
    public func deleteRecordings(
        of device: DeviceID, app: AppID, evidenceOnly: Bool = false, timeout: Duration? = nil
    ) async throws(AssayError) -> UInt64 {
        try await call(
            API.deleteRecordings,
            .with {
                $0.app = app.text
                $0.deviceID = Data(device.bytes)
                $0.evidenceOnly = evidenceOnly
            }, timeout
        ).deleted
    }

    /// What the shadow policies of apps decide otherwise.
    ///
    /// - Parameter limit: the most differences of each app.
    public func differences(
        of app: AppID? = nil, since: Timestamp? = nil, limit: UInt32 = 0, timeout: Duration? = nil
    ) async throws(AssayError) -> [Assay_V1_ShadowReport] {
        try await call(
            API.listDifferences,
            .with {
                $0.app = app?.text ?? ""
                $0.sinceUnixMs = since?.unixMilliseconds ?? 0
                $0.limit = limit
            }, timeout
        ).reports
    }

    /// A policy with its whole text, which may take several calls.
    ///
    /// - Parameter digest: 32 bytes, or the first of them, at least 4.
    public func policy(digest: [UInt8], timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_Policy {
        var policy = try await call(API.getPolicy, .with { $0.digest = Data(digest) }, timeout)
        while policy.text.utf8.count < Int(policy.size) {
            let part = try await call(
                API.getPolicy,
                .with {
                    $0.digest = policy.digest
                    $0.offset = UInt32(clamping: policy.text.utf8.count)
                }, timeout)
            guard !part.text.isEmpty else { break }
            policy.text += part.text
        }
        return policy
    }
}
