public import AssayAPI
public import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// Events as they happen.
extension AssayClient {
    /// Selects events. A part that is empty or `nil` selects all.
    public struct WatchFilter: Hashable, Sendable {
        /// Kinds such as `verdict.rejected`, or groups of kinds: `verdict`, `change`, `device`.
        public var kinds: [String] = []
        public var apps: [AppID] = []
        /// Names of callers in the configuration.
        public var callers: [String] = []
        /// Codes of rejections, errors and findings.
        public var codes: [String] = []
        public var device: DeviceID?

        public init() {}
    }

    /// A place in a stream of events, to go on from.
    public struct WatchPlace: Hashable, Sendable {
        /// 8 bytes.
        public let stream: [UInt8]
        /// The number of the last event that was read.
        public var after: UInt64

        public init(stream: [UInt8], after: UInt64) { (self.stream, self.after) = (stream, after) }
    }

    /// Watches events, for callers with the role `operate`. The first item is the start. The stream ends by an error: that of the daemon
    /// (`shutting_down`, `slow_consumer`), or of the connection; it is not begun again by itself.
    ///
    /// - Parameter place: continues a stream, as far as the daemon still has its events.
    public func watch(
        _ filter: WatchFilter = WatchFilter(), from place: WatchPlace? = nil
    ) async throws(AssayError) -> WatchedItems {
        let request = Assay_V1_WatchRequest.with {
            $0.kinds = filter.kinds
            $0.apps = filter.apps.map(\.text)
            ($0.callers, $0.codes) = (filter.callers, filter.codes)
            $0.deviceID = Data(filter.device?.bytes ?? [])
            ($0.resumeStreamID, $0.resumeAfter) = (Data(place?.stream ?? []), place?.after ?? 0)
        }
        return WatchedItems(try await stream(API.watch, request))
    }

    /// What a call of `watch` brings, for one task to iterate once.
    public struct WatchedItems: AsyncSequence, Sendable {
        public typealias Element = Assay_V1_WatchItem
        public typealias Failure = AssayError

        private let items: RPCItems<Assay_V1_WatchItem>

        init(_ items: RPCItems<Assay_V1_WatchItem>) { self.items = items }

        public func makeAsyncIterator() -> Iterator { Iterator(items: items.makeAsyncIterator()) }

        public struct Iterator: AsyncIteratorProtocol {
            var items: RPCItems<Assay_V1_WatchItem>.AsyncIterator

            public mutating func next() async throws(AssayError) -> Assay_V1_WatchItem? {
                try await next(isolation: #isolation)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws(AssayError) -> Assay_V1_WatchItem? {
                do { return try await items.next(isolation: actor) } catch { throw AssayError(error) }
            }
        }
    }
}
