public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

extension AssayClient {
    /// The lists from outside that verdicts depend on.
    public func feeds(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_Feed] {
        let response: Assay_V1_ListFeedsResponse = try await call(
            "/assay.v1.Feeds/List", .idempotent, Assay_V1_ListFeedsRequest(), timeout)
        return response.feeds
    }

    /// A list as it is in force; `nil` where none is known.
    public func feed(_ name: String, timeout: Duration? = nil) async throws(AssayError) -> FeedReading? {
        var reading: FeedReading?
        while true {
            let page: Assay_V1_FeedEntries = try await call(
                "/assay.v1.Feeds/Read", .idempotent,
                Assay_V1_ReadFeedRequest.with {
                    ($0.feed, $0.from) = (name, UInt32(clamping: reading?.entries.count ?? 0))
                }, timeout)
            guard !page.id.isEmpty else { return nil }
            // Another version came into force between two pages: begin anew.
            if page.id != reading?.id, reading != nil {
                reading = nil
                continue
            }
            let entries = page.entries.map {
                FeedReading.Entry(serial: Array($0.serial), status: $0.status, reason: $0.reason)
            }
            reading = FeedReading(id: page.id, entries: (reading?.entries ?? []) + entries)
            if page.entries.isEmpty || (reading?.entries.count ?? 0) >= Int(page.total) { return reading }
        }
    }

    /// Puts a list in force that an operator brings.
    ///
    /// - Parameters:
    ///   - list: as the service would answer it.
    ///   - asOf: when it was fetched; `nil`: now.
    ///   - force: takes it though it is older than the one in force, empty, or much shorter.
    public func loadFeed(
        _ name: String, list: [UInt8], asOf: Timestamp? = nil, force: Bool = false, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Feed {
        try await call(
            "/assay.v1.Feeds/Load", .notIdempotent,
            Assay_V1_LoadFeedRequest.with {
                ($0.feed, $0.list, $0.force) = (name, Data(list), force)
                $0.asOfUnixMs = asOf?.unixMilliseconds ?? 0
            }, timeout)
    }
}

/// A list as the daemon has it in force.
public struct FeedReading: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// Unsigned, big-endian.
        public let serial: [UInt8]
        /// As the list writes it: `REVOKED`, `SUSPENDED`, or a word of its own.
        public let status: String
        public let reason: String
        public init(serial: [UInt8], status: String, reason: String) {
            (self.serial, self.status, self.reason) = (serial, status, reason)
        }
    }

    public let id: String
    /// In the order of the serial numbers.
    public let entries: [Entry]
}
