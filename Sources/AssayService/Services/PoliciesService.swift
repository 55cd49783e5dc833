import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Policies`: what judges apps, and what judged them before.
package struct PoliciesService: Sendable {
    static let pageSize = PageSize(usual: 100, longest: 500)
    /// The most of a text in one answer, in bytes, which stays below a frame of 1 MiB. Texts are ASCII, so that any part of one is valid.
    static let partLimit = 524_288
    private static let digestLength = 32
    /// The fewest bytes of a digest that name a policy.
    private static let shortestPrefix = 4

    private let ledger: any PolicyStore
    private let apps: AppDirectory
    let recordings: FactRecorder
    let shadow: ShadowJudge
    let requestLog: RequestLog

    package init(
        ledger: any PolicyStore, apps: AppDirectory, recordings: FactRecorder, shadow: ShadowJudge, requestLog: RequestLog
    ) {
        (self.ledger, self.apps, self.recordings, self.shadow) = (ledger, apps, recordings, shadow)
        self.requestLog = requestLog
    }

    package var methods: [MethodBody] {
        [
            .unary(API.listPolicies, reading: listing) { caller, listing in try await page(listing, caller) },
            .unary(API.getPolicy) { caller, request in try await policy(request, caller) },
            .unary(API.listRecordings, reading: RecordingQuery.init) { caller, query in try await page(query, caller) },
            .unary(API.deleteRecordings, reading: DeletionFields.init, delete),
            .unary(API.listDifferences, reading: DifferenceQuery.init) { caller, query in differences(query, caller) },
        ]
    }

    // MARK: List

    private func page(_ listing: PolicyListing, _ caller: Caller) async throws -> Assay_V1_ListPoliciesResponse {
        let page = try await ledger.policies(listing)
        return .with {
            $0.policies = page.rows.filter { caller.may(use: $0.app) }.map { row in
                message(row.digest, row.app, row.firstSeen, size: row.size)
            }
            if let next = page.next { $0.nextPageToken = Data(PageToken(position: next, of: listing).bytes) }
        }
    }

    private func listing(_ request: Assay_V1_ListPoliciesRequest) throws(RequestError) -> PolicyListing {
        let app = request.app.isEmpty ? nil : try AppID(field: request.app)
        return try PolicyListing(app: app, limit: Self.pageSize.limit(request.pageSize)).continued(by: request.pageToken)
    }

    // MARK: Get

    private func policy(_ request: Assay_V1_GetPolicyRequest, _ caller: Caller) async throws -> Assay_V1_Policy {
        let prefix = try request.digest.bounded("digest", by: Self.digestLength)
        guard prefix.count >= Self.shortestPrefix else {
            throw RequestError("digest", "must have \(Self.shortestPrefix) to \(Self.digestLength) bytes, not \(prefix.count)")
        }
        // Of two that begin alike, one may be another caller's: then the prefix names the one that this caller may see.
        let found = try await ledger.policies(beginning: prefix).filter { caller.may(use: $0.app) }
        guard let policy = found.first else { throw RPCError.unknownPolicy }
        guard found.count == 1 else { throw RPCError.ambiguousPolicy }
        let text = Array(policy.text.utf8)
        guard let offset = Int(exactly: request.offset), offset <= text.count else {
            throw RequestError("offset", "must be at most \(text.count), the size of the text")
        }
        var message = message(policy.digest, policy.app, policy.firstSeen, size: text.count)
        message.text = String(decoding: text[offset...].prefix(Self.partLimit), as: UTF8.self)
        return message
    }

    private func message(_ digest: [UInt8], _ app: AppID, _ firstSeen: Timestamp, size: Int) -> Assay_V1_Policy {
        .with {
            ($0.digest, $0.app) = (Data(digest), app.text)
            $0.firstSeenUnixMs = firstSeen.unixMilliseconds
            $0.size = UInt32(clamping: size)
            $0.inForce = apps[app]?.policyDigest == digest
        }
    }
}

extension RPCError {
    /// The same for an unknown digest as for a policy of an app that the caller may not use.
    fileprivate static let unknownPolicy = RPCError(
        .notFound, "no policy with this digest is on record",
        reason: "unknown_policy")
    fileprivate static let ambiguousPolicy = RPCError(
        .failedPrecondition, "several policies on record begin like this: give more of the digest", reason: "ambiguous_policy")
}
