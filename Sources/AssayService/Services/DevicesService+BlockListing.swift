import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

extension DevicesService {
    func listBlocks(_ call: RPCCall) async throws(RPCError) -> Assay_V1_ListBlocksResponse {
        let caller = try authorizer.admit(call.peer, to: .listBlocks)
        let message = try call.decode(Assay_V1_ListBlocksRequest.self)
        let listing: BlockListing
        do { listing = try shape(message) } catch { throw RPCError(error) }
        _ = try authorizer.profile(of: listing.app, for: caller)
        return try await limiter.pass(call) { () async throws(RPCError) in try await page(listing) }
    }

    private func page(_ listing: BlockListing) async throws(RPCError) -> Assay_V1_ListBlocksResponse {
        // As where one is set or lifted: a name that is nobody's is a mistake, and not an unblocked device.
        if case .target(.device(let id)) = listing.choice { _ = try await device(id, of: listing.app) }
        let page = try await ask { () async throws(LedgerError) in try await ledger.blocks(listing) }
        return .with {
            $0.blocks = page.blocks.map(\.message)
            $0.nextPageToken = Data(page.next.map { PageToken(position: $0, of: listing).bytes } ?? [])
        }
    }

    private func shape(_ message: Assay_V1_ListBlocksRequest) throws(RequestError) -> BlockListing {
        let app = try AppID(field: message.app)
        let choice: BlockListing.Choice =
            switch message.only {
            case nil: try message.all()
            case .kind(let kind): try BlockKind?(field: "kind", kind).map { .kind($0) } ?? .all
            case .target(let target): .target(try shape(target, app))
            }
        let first = BlockListing(app: app, choice, limit: try pageSize(message.pageSize))
        let token = try message.pageToken.bounded("page_token", by: PageToken.blockLengthLimit)
        guard !token.isEmpty else { return first }
        guard let position = PageToken.position(in: token, of: first) else { throw .foreignPageToken }
        return BlockListing(app: app, choice, position: position, limit: first.limit)
    }
}

extension Assay_V1_ListBlocksRequest {
    /// Nothing was chosen, so all are listed; unless something was chosen that this version does not know.
    fileprivate func all() throws(RequestError) -> BlockListing.Choice {
        try refuseUnknown("only")
        return .all
    }
}
