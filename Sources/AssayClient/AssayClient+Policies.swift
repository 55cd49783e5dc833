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
