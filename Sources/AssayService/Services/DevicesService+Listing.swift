import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf

extension DevicesService {
    /// Devices or blocks on one page: by default, and at most. The longest record takes about 1300 bytes in a listing (a device with
    /// three blocks with long reasons), so that the longest page stays below a frame of 1 MiB.
    private static let usualPage: UInt32 = 100
    private static let longestPage: UInt32 = 500

    func page(_ listing: DeviceListing) async throws(LedgerError) -> Assay_V1_ListDevicesResponse {
        let page = try await ledger.devices(listing)
        return .with {
            $0.devices = page.devices.map(\.listed)
            $0.nextPageToken = Data(page.next.map { PageToken(position: $0, of: listing).bytes } ?? [])
        }
    }

    func deviceListing(_ app: AppID, _ message: Assay_V1_ListDevicesRequest) throws(RequestError) -> DeviceListing {
        let isBlocked: Bool? =
            switch message.state {
            case .unspecified: nil
            case .active: false
            case .blocked: true
            case .UNRECOGNIZED: throw RequestError("state", "must be ACTIVE, BLOCKED or left out")
            }
        let subject = subjects.hash(
            try message.subject.bounded("subject", by: VerificationRequest.subjectLimit), app: app)
        let first = DeviceListing(app: app, subject: subject, isBlocked: isBlocked, limit: try pageSize(message.pageSize))
        let token = try message.pageToken.bounded("page_token", by: PageToken.deviceLength)
        guard !token.isEmpty else { return first }
        guard let position = PageToken.position(in: token, of: first) else { throw .foreignPageToken }
        return DeviceListing(app: app, subject: subject, isBlocked: isBlocked, position: position, limit: first.limit)
    }

    /// The field `page_size`: how many devices or blocks a page has at most.
    func pageSize(_ field: UInt32) throws(RequestError) -> Int {
        guard field <= Self.longestPage else { throw RequestError("page_size", "must be at most \(Self.longestPage)") }
        return Int(field == 0 ? Self.usualPage : field)
    }
}

extension RequestError {
    static let foreignPageToken = RequestError("page_token", "must be that of a page of the same listing")
}
