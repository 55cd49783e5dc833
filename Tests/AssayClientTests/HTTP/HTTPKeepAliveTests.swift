import AssayAPI
import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayHTTPClient
@testable import AssayRPC

@Suite("Keep-alive over HTTP/2", .timeLimit(.minutes(30)))
struct HTTPKeepAliveTests {
    private static let watch = "/assay.v1.Operations/Watch"

    private static func limits(_ interval: Duration, _ timeout: Duration) -> HTTPChannelLimits {
        var limits = HTTPChannelLimits()
        (limits.keepAliveInterval, limits.pongTimeout) = (interval, timeout)
        return limits
    }

    @Test("A stream ends by the loss of its connection where the server does not answer pings")
    func deadServer() async throws {
        try await HTTP2StreamServer.run { server in
            let channel = try await server.connect(Self.limits(.milliseconds(200), .seconds(10)))
            let items = try channel.stream(
                Self.watch, Assay_V1_WatchRequest(), of: Assay_V1_WatchItem.self, timeout: nil, metadata: [:])
            try await eventually("it has begun") { server.streamCount == 1 }
            try await server.becomeDeaf()
            var iterator = items.makeAsyncIterator()
            do throws(RPCError) {
                let item = try await iterator.next()
                Issue.record("the stream goes on: \(item as Any)")
            } catch {
                #expect(error.code == .unavailable && error.reason == "connection_lost", "\(error)")
            }
            await channel.close()
        }
    }

    @Test("A stream on which nothing comes goes on where the server answers pings")
    func silentServer() async throws {
        try await HTTP2StreamServer.run { server in
            // The answer may be late on a busy machine.
            let channel = try await server.connect(Self.limits(.milliseconds(100), .seconds(60)))
            let items = try channel.stream(
                Self.watch, Assay_V1_WatchRequest(), of: Assay_V1_WatchItem.self, timeout: nil, metadata: [:])
            try await eventually("it is asked several times") { server.pings >= 3 }
            let item = try Assay_V1_WatchItem.with { $0.overtaken.missed = 7 }.serialised()
            server.end(envelope(0, item) + envelope(2, Array("{}".utf8)))
            var iterator = items.makeAsyncIterator()
            #expect(try await iterator.next()?.overtaken.missed == 7)
            #expect(try await iterator.next() == nil)

            let pings = server.pings
            try await Task.sleep(for: .seconds(1))
            #expect(server.pings <= pings + 1, "a connection without calls is not asked")
            await channel.close()
        }
    }
}
