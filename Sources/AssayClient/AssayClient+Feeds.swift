public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

extension AssayClient {
    /// The trust feeds that verdicts depend on.
    public func feeds(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_Feed] {
        try await call(API.listFeeds, Assay_V1_ListFeedsRequest(), timeout).feeds
    }

    /// The list of a feed that is in force; `nil` if there is none.
    public func feed(_ name: String, timeout: Duration? = nil) async throws(AssayError) -> FeedReading? {
        var reading: FeedReading?
        while true {
            let page = try await call(
                API.readFeed,
                .with {
                    ($0.feed, $0.from) = (name, UInt32(clamping: reading?.entries.count ?? 0))
                }, timeout)
            guard !page.id.isEmpty else { return nil }
            // Another version came into force between two pages: start again.
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

    /// Puts an operator's copy of a feed's list in force.
    ///
    /// - Parameters:
    ///   - list: the bytes that the feed's service returns.
    ///   - asOf: when it was fetched; `nil`: now.
    ///   - force: accepts a list that is older than the one in force, empty, or much shorter.
    public func loadFeed(
        _ name: String, list: [UInt8], asOf: Timestamp? = nil, force: Bool = false, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Feed {
        try await call(
            API.loadFeed,
            .with {
                ($0.feed, $0.list, $0.force) = (name, Data(list), force)
                $0.asOfUnixMs = asOf?.unixMilliseconds ?? 0
            }, timeout)
    }
}

/// The list of a feed that the daemon has in force.
public struct FeedReading: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// Unsigned, big-endian.
        public let serial: [UInt8]
        /// As in the list: `REVOKED`, `SUSPENDED`, or another word.
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
