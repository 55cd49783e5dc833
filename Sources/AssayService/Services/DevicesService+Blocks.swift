import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

extension DevicesService {
    /// The longest reason, in bytes.
    static let reasonLimit = 256

    func block(
        _ caller: Caller, _ app: AppProfile, _ fields: (target: BlockTarget, reason: String)
    ) async throws -> Assay_V1_BlockResponse {
        let change = try await change(fields.target, of: app.id) { () async throws(LedgerError) in
            try await ledger.block(fields.target, context(of: caller, reason: fields.reason))
        }
        revoked()
        requestLog.changed("blocked", by: caller, app: app.id, fields.target.names(change))
        return .with {
            $0.devices = UInt32(clamping: change.devices)
            $0.wasBlocked = change.wasBlocked
        }
    }

    func unblock(_ caller: Caller, _ app: AppProfile, _ target: BlockTarget) async throws -> Assay_V1_UnblockResponse {
        let change = try await change(target, of: app.id) { () async throws(LedgerError) in
            try await ledger.unblock(target, context(of: caller))
        }
        if change.wasBlocked { requestLog.changed("unblocked", by: caller, app: app.id, target.names(change)) }
        return .with {
            $0.devices = UInt32(clamping: change.devices)
            $0.wasBlocked = change.wasBlocked
            $0.stillBlocked = UInt32(clamping: change.blocked)
        }
    }

    /// Makes a change, if a target that is a device belongs to the app.
    private func change(
        _ target: BlockTarget, of app: AppID, _ make: () async throws(LedgerError) -> BlockChange?
    ) async throws -> BlockChange {
        if case .device(let id) = target { _ = try await device(id, of: app) }
        guard let change = try await make() else { throw RPCError.unknownDevice }
        return change
    }

    func blockFields(
        _ app: AppID, _ message: Assay_V1_BlockRequest
    ) throws(RequestError) -> (target: BlockTarget, reason: String) {
        let target = try target(message.target, app)
        try message.reason.check("reason", limit: Self.reasonLimit)
        guard !message.reason.isEmpty else { throw RequestError("reason", "must be given") }
        return (target, message.reason)
    }

    /// The target of a request, with its subject hashed.
    func target(_ message: Assay_V1_BlockTarget, _ app: AppID) throws(RequestError) -> BlockTarget {
        try message.refuseUnknown("target")
        switch message.what {
        case .deviceID(let bytes): return .device(try DeviceID(field: "target.device_id", bytes))
        case .subject(let bytes):
            let subject = try bytes.bounded("target.subject", by: VerificationRequest.subjectLimit)
            guard let hash = subjects.hash(subject, app: app) else {
                throw RequestError("target.subject", "must not be empty")
            }
            return .subject(hash, of: app)
        case .keyID(let bytes):
            let keyID = try bytes.bounded("target.key_id", by: DeviceKey.keyIDLimit)
            guard !keyID.isEmpty else { throw RequestError("target.key_id", "must not be empty") }
            return .key(DeviceKey(app: app, keyID: keyID))
        case nil: throw RequestError("target", "must name a device, a subject or a key")
        }
    }
}

extension BlockTarget {
    /// What the log calls a block by. Subjects and keys are never logged.
    fileprivate func names(_ change: BlockChange) -> [String: String] {
        var names = ["devices": "\(change.devices)"]
        switch self {
        case .device(let id): (names["by"], names["device"]) = ("device", "\(id)")
        case .subject: names["by"] = "subject"
        case .key: names["by"] = "key"
        }
        return names
    }
}

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
        let first = BlockListing(app: app, choice, limit: try Self.pageSize.limit(message.pageSize))
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
