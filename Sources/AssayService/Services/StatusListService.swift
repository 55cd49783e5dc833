import AssayAPI
import AssayCore
package import AssayRPC
import AssayResults
import Foundation
import SwiftProtobuf

/// `assay.v1.Results.GetStatusList`: what is served over HTTP too.
package struct StatusListService: Sendable {
    private let publisher: StatusListPublisher

    package init(publisher: StatusListPublisher) { self.publisher = publisher }

    package var methods: [MethodBody] { [.unary(API.getStatusList) { _, request in try await get(request) }] }

    private func get(_ request: Assay_V1_GetStatusListRequest) async throws -> Assay_V1_GetStatusListResponse {
        let form: StatusListForm =
            switch request.form {
            case .unspecified, .jwt: .jwt
            case .cwt: .cwt
            case .UNRECOGNIZED: throw RequestError("form", "must be JWT, CWT or left out")
            }
        let issuer = ResultPublicKey.Issuer(simulated: request.simulated)
        switch await publisher.find(request.list, of: issuer) {
        case .list(let published):
            return .with {
                ($0.uri, $0.mediaType) = (published.claims.uri, form.mediaType)
                $0.token = Data(published.token(form).bytes)
                $0.expiresAtUnixMs = published.claims.expiry.unixMilliseconds
            }
        case .unknownIssuer: throw RPCError.noIssuer(issuer)
        case .unknownList: throw RPCError.unknownStatusList
        case .unavailable: throw RPCError.statusListUnavailable
        }
    }
}

extension RPCError {
    fileprivate static let unknownStatusList = RPCError(
        .notFound, "no result names a place in a list of that number", reason: "unknown_status_list")
    /// Nothing is said of a result by a list that has ended.
    package static let statusListUnavailable = RPCError(
        .unavailable, "no list that is good can be given now", reason: "status_list_unavailable", retryAfterMilliseconds: 15_000
    )
}
