import AssayAPI
import AssayClient
import AssayTesting
import NIOCore
import SwiftProtobuf
import Testing

@testable import AssayHTTPClient

@Suite("Stream over HTTP", .timeLimit(.minutes(30)))
struct HTTPStreamTests {
    private static let end = envelope(2, Array("{}".utf8))

    private static func event(_ number: UInt64) -> [UInt8] {
        let item = Assay_V1_WatchItem.with { $0.event = .with { $0.sequence = number } }
        return envelope(0, (try? item.serializedBytes()) ?? [])
    }

    private static func refusal(_ reason: String) -> [UInt8] {
        envelope(2, Array(#"{"error":{"code":"unavailable","message":"no","details":[\#(reason)]},"metadata":{}}"#.utf8))
    }

    /// The events that come, and the error by which the stream ends.
    private func read(_ client: AssayClient) async -> (numbers: [UInt64], error: AssayError?) {
        var numbers: [UInt64] = []
        do throws(AssayError) {
            var items = try await client.watch().makeAsyncIterator()
            while let item = try await items.next() { numbers.append(item.event.sequence) }
            return (numbers, nil)
        } catch {
            return (numbers, error)
        }
    }

    @Test("Three messages come in order, and then the end")
    func three() async throws {
        try await ConnectServer.run { _ in
            .stream([Self.event(1), Self.event(2), Self.event(3), Self.end])
        } _: { server in
            let client = try server.client()
            let (numbers, error) = await read(client)
            #expect(numbers == [1, 2, 3] && error == nil, "\(error as Any)")
            let call = try #require(server.calls.first)
            #expect(call.path == "/assay.v1.Operations/Watch" && call.header("content-type") == "application/connect+proto")
            #expect(call.header("connect-timeout-ms") == nil && call.body == [0, 0, 0, 0, 0])
            await client.close()
        }
    }

    @Test("A stream that ends in an error brings what came before it, and the error")
    func error() async throws {
        let slow = #"{"type":"google.rpc.ErrorInfo","value":"Cg1zbG93X2NvbnN1bWVy"}"#
        try await ConnectServer.run { _ in
            .stream([Self.event(1), Self.refusal(slow)])
        } _: { server in
            let client = try server.client()
            let (numbers, error) = await read(client)
            #expect(numbers == [1] && error == AssayError(.unavailable, "no", reason: "slow_consumer"), "\(error as Any)")
            #expect(server.calls.count == 1, "it is begun once")
            await client.close()
        }
    }

    @Test("A stream that is cut in its middle brings what came before, and an error of the connection")
    func cut() async throws {
        try await ConnectServer.run { _ in
            // Half of it comes.
            .stream([Self.event(1), Self.event(2), Self.event(3), Self.event(4)], ending: .stalled)
        } _: { server in
            let client = try server.client()
            var items = try await client.watch().makeAsyncIterator()
            #expect(try await items.next()?.event.sequence == 1)
            #expect(try await items.next()?.event.sequence == 2)
            try await server.http.stop()
            do throws(AssayError) {
                _ = try await items.next()
                Issue.record("the stream goes on")
            } catch {
                #expect(error.code == .unavailable && error.reason == "connection_lost", "\(error)")
            }
            await client.close()
        }
    }

    @Test("A stream that ends without saying so is an error of the connection")
    func endless() async throws {
        try await ConnectServer.run { _ in
            .stream([Self.event(1), Self.event(2)])
        } _: { server in
            let client = try server.client()
            let (numbers, error) = await read(client)
            #expect(numbers == [1, 2] && error?.code == .unavailable && error?.reason == "connection_lost")
            await client.close()
        }
    }

    @Test("A stream is refused by an error in place of a stream, or by a proxy's page")
    func refused() async throws {
        let denied = #"{"code":"permission_denied","message":"not you"}"#
        try await ConnectServer.run { _ in
            .json(denied, status: 403)
        } _: { server in
            let client = try server.client()
            #expect(await read(client).error == AssayError(.permissionDenied, "not you"))
            server.http.answerNext(.html)
            #expect(await read(client).error?.reason == "foreign_answer")
            await client.close()
        }
    }

    @Test(
        "What is no envelope ends a stream",
        arguments: [
            (envelope(1, [0]), "protocol_broken"), (envelope(4, []), "protocol_broken"), (envelope(2, [1]), "protocol_broken"),
            (envelope(2, Array(#"{"error":7}"#.utf8)), "protocol_broken"), ([0, 255, 255, 255, 255], "reply_too_large"),
            ([0, 0, 16, 0, 1], "reply_too_large"), (envelope(0, [255]), "undecodable_reply"),
        ])
    func broken(_ bytes: [UInt8], _ reason: String) async throws {
        try await ConnectServer.run { _ in
            .stream([Self.event(1), bytes, Self.event(2), Self.end])
        } _: { server in
            let client = try server.client()
            let (numbers, error) = await read(client)
            #expect(numbers == [1] && error?.reason == reason, "\(error as Any)")
            await client.close()
        }
    }

    @Test("A stream that is read slowly arrives as a whole")
    func long() async throws {
        // More than is queued for a reader.
        let items = (1...3).map { number in
            let item = Assay_V1_WatchItem.with {
                $0.event = .with {
                    $0.sequence = UInt64(number)
                    $0.kind = String(repeating: "x", count: 900_000)
                }
            }
            return envelope(0, (try? item.serializedBytes()) ?? [])
        }
        try await ConnectServer.run { _ in
            .stream(items + [Self.end])
        } _: { server in
            let client = try server.client()
            let (numbers, error) = await read(client)
            #expect(numbers == [1, 2, 3] && error == nil)
            await client.close()
        }
    }

    @Test("A stream that is released ends its connection, and the client closes")
    func released() async throws {
        try await ConnectServer.run { _ in
            .stream([Self.event(1), Self.event(2)], ending: .stalled)
        } _: { server in
            let client = try server.client()
            do {
                var items = try await client.watch().makeAsyncIterator()
                #expect(try await items.next()?.event.sequence == 1)
            }
            let start = ContinuousClock.now
            await client.close()
            // It waits longer for a call in flight.
            #expect(ContinuousClock.now - start < .seconds(8))
        }
    }

    @Test("Envelopes are found in bytes that come one by one")
    func oneByOne() throws {
        var splitter = EnvelopeSplitter(limit: 8)
        var found: [[UInt8]] = []
        for byte in envelope(0, [1, 2, 3]) + envelope(0, []) + envelope(2, [4]) {
            splitter.append(ByteBuffer(bytes: [byte]))
            while let next = try splitter.next() { found.append([next.isEnd ? 1 : 0] + Array(next.message.readableBytesView)) }
        }
        #expect(found == [[0, 1, 2, 3], [0], [1, 4]])
        splitter.append(ByteBuffer(bytes: [0, 0, 0, 0, 9]))
        #expect(throws: (any Error).self) { try splitter.next() }
    }
}
