import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf

extension DevicesService {
    func page(_ listing: BlockListing) async throws -> Assay_V1_ListBlocksResponse {
        // A device that is not the app's is an error, as in Block and Unblock, and not a device without a block.
        if case .target(.device(let id)) = listing.choice { _ = try await device(id, of: listing.app) }
        let page = try await ledger.blocks(listing)
        return .with {
            $0.blocks = page.blocks.map(\.message)
            $0.nextPageToken = Data(page.next.map { PageToken(position: $0, of: listing).bytes } ?? [])
        }
    }

    func blockListing(_ app: AppID, _ message: Assay_V1_ListBlocksRequest) throws(RequestError) -> BlockListing {
        let choice: BlockListing.Choice =
            switch message.only {
            case nil: try message.all()
            case .kind(let kind): try BlockKind?(field: "kind", kind).map { .kind($0) } ?? .all
            case .target(let target): .target(try self.target(target, app))
            }
        let first = BlockListing(app: app, choice, limit: try pageSize(message.pageSize))
        let token = try message.pageToken.bounded("page_token", by: PageToken.blockLengthLimit)
        guard !token.isEmpty else { return first }
        guard let position = PageToken.position(in: token, of: first) else { throw .foreignPageToken }
        return BlockListing(app: app, choice, position: position, limit: first.limit)
    }
}

extension Assay_V1_ListBlocksRequest {
    /// All blocks, where nothing is chosen. Throws if something may be chosen that this version does not know.
    fileprivate func all() throws(RequestError) -> BlockListing.Choice {
        try refuseUnknown("only")
        return .all
    }
}
