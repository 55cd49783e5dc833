import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Operations.Watch`: events as they happen.
package struct WatchService: Sendable {
    private let hub: WatchHub
    private let tail: ChangeTail
    private let clock: any WallClock

    package init(hub: WatchHub, tail: ChangeTail, clock: any WallClock) {
        (self.hub, self.tail, self.clock) = (hub, tail, clock)
    }

    package var methods: [MethodBody] { [.stream(API.watch, watch)] }

    private func watch(_ request: Assay_V1_WatchRequest, _ stream: ServedStream<Assay_V1_WatchItem>) async throws {
        let filter = try WatchFilter(request)
        for app in filter.apps { try stream.authorize(filteringBy: app) }
        let id = try request.resumeStreamID.bounded("resume_stream_id", by: 8)
        let place = id.isEmpty ? nil : WatchHub.Place(id: id, after: request.resumeAfter)
        guard let (subscription, start) = hub.subscribe(as: try stream.caller().name, from: place) else {
            throw RPCError.tooManyWatchers
        }
        try await tail.begin()
        try await stream.send(
            .with {
                $0.start.streamID = Data(start.id)
                $0.start.nextSequence = start.next
                $0.start.timeUnixMs = clock.now().unixMilliseconds
                ($0.start.resumed, $0.start.missed) = (start.isResumed, start.missed)
            })
        while true {
            switch await subscription.next() {
            case .events(let events):
                // Before anything is shown: another configuration may be in force since the last time.
                let caller = try stream.caller()
                for (sequence, event) in events where caller.maySee(event) && filter.admits(event) {
                    try await stream.send(.with { $0.event = event.message(sequence) })
                }
            case .overtaken(let missed):
                try await stream.send(.with { $0.overtaken.missed = missed })
                throw RPCError.slowConsumer(missed)
            case .stopped:
                throw Task.isCancelled ? RPCError.cancelled : RPCError.stopping
            }
        }
    }
}

extension Caller {
    /// A caller that is limited to some apps sees only their events, and not those that concern all apps.
    fileprivate func maySee(_ event: WatchEvent) -> Bool { apps == nil || event.app.map { may(use: $0) } ?? false }
}

extension RPCError {
    fileprivate static let tooManyWatchers = RPCError(
        .resourceExhausted,
        "as many calls watch as may: \(WatchHub.watcherLimit), and \(WatchHub.watcherLimitOfCaller) of one caller",
        reason: "too_many_watchers",
        retryAfterMilliseconds: 10_000)

    fileprivate static func slowConsumer(_ missed: UInt64) -> RPCError {
        RPCError(
            .resourceExhausted, "events came faster than they were read, and \(missed) were missed", reason: "slow_consumer")
    }

    fileprivate static let stopping = RPCError(
        .unavailable, "the daemon stops, or its server does", reason: "shutting_down", retryAfterMilliseconds: 1000)
}
