import AssayTesting
import Foundation
import Synchronization
import Testing

@testable import AssayOperations

@Suite("Hostile clients of the operations address", .timeLimit(.minutes(30)))
struct HostileHTTPTests {
    private static let impatient: OperationsLimits = {
        var limits = TestOperations.patient
        (limits.idle, limits.answer) = (.seconds(1), .seconds(1))
        return limits
    }()

    @Test("A head that arrives slowly is cut off, however often a byte of it comes")
    func slowHead() async throws {
        let operations = try await TestOperations(limits: Self.impatient)
        let client = try #require(operations.client())
        await client.send("GET /livez HTTP/1.1\r\n")
        var sent = 0
        while sent < 100, await client.send("X") {
            sent += 1
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(sent < 100, "the connection was ended within some seconds")
        let isServed = await eventually { await operations.get("/livez")?.status == 200 }
        #expect(isServed, "others are served")
        await operations.server.stop()
    }

    @Test("A connection that says nothing is closed")
    func silence() async throws {
        let operations = try await TestOperations(limits: Self.impatient)
        let client = try #require(operations.client())
        #expect(await client.isClosedByPeer())
        await operations.server.stop()
    }

    @Test(
        "A head beyond the limits is refused before it is whole",
        arguments: [
            "X-Long: " + String(repeating: "a", count: 200_000),
            (0..<5000).map { "X-\($0): \($0)" }.joined(separator: "\r\n"),
        ])
    func hugeHead(_ headers: String) async throws {
        let operations = try await TestOperations()
        let client = try #require(operations.client())
        await client.send("GET /livez HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n\r\n")
        if let answer = await client.response() { #expect(answer.status == 400) }
        #expect(await client.isClosedByPeer())
        #expect(await operations.get("/livez")?.status == 200)
        await operations.server.stop()
    }

    @Test("A path without an end is refused")
    func hugePath() async throws {
        let operations = try await TestOperations()
        let client = try #require(operations.client())
        await client.send("GET /" + String(repeating: "a", count: 1_000_000) + " HTTP/1.1\r\n\r\n")
        if let answer = await client.response() { #expect(answer.status == 400 || answer.status == 404) }
        #expect(await operations.get("/livez")?.status == 200)
        await operations.server.stop()
    }

    @Test("Connections beyond the limit end the oldest, so that a new client is always served")
    func manyConnections() async throws {
        var limits = TestOperations.patient
        limits.connections = 8
        let operations = try await TestOperations(limits: limits)
        let silent = (0..<100).compactMap { _ in operations.client() }
        #expect(silent.count == 100)
        for _ in 0..<20 { #expect(await operations.get("/livez")?.status == 200) }
        #expect(operations.server.openConnections <= 8)
        #expect(await silent.first?.isClosedByPeer() == true)
        await operations.server.stop()
        #expect(operations.server.openConnections == 0)
    }

    /// More connections a second than places, so that each place changes hands many times while a probe is under way.
    @Test("A flood of connections from one address keeps no probe from another address out")
    func flood() async throws {
        var limits = TestOperations.patient
        limits.connections = 8
        let operations = try await TestOperations(limits: limits)
        let isOver = Atomic(false)
        let opened = Atomic(0)
        let port = operations.port
        let flood = Thread {
            var kept: [RawHTTP] = []
            while !isOver.load(ordering: .relaxed) {
                if let client = RawHTTP(port: port) { kept.append(client) }
                opened.add(1, ordering: .relaxed)
                if kept.count > 500 { kept.removeFirst(250) }
            }
        }
        flood.start()
        while opened.load(ordering: .relaxed) < 200 { await Task.yield() }
        for _ in 0..<40 {
            let before = opened.load(ordering: .relaxed)
            let probe = try #require(RawHTTP(port: port, from: (127, 0, 0, 2)))
            // Slower than the flood fills all places.
            await probe.send("GET /livez HTTP/1.1\r\n")
            while opened.load(ordering: .relaxed) < before + 3 * limits.connections { await Task.yield() }
            #expect(await probe.request("Host: a\r\n\r\n")?.status == 200)
        }
        isOver.store(true, ordering: .relaxed)
        await operations.server.stop()
    }

    @Test("A client that does not read its answers is cut off")
    func unread() async throws {
        let operations = try await TestOperations(limits: Self.impatient, body: String(repeating: "#\n", count: 500_000))
        let client = try #require(operations.client())
        let request = String(repeating: "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", count: 100)
        await client.send(request)
        while operations.server.openConnections > 0 { try await Task.sleep(for: .milliseconds(20)) }
        let isServed = await eventually { await operations.get("/livez")?.status == 200 }
        #expect(isServed, "others are served")
        await operations.server.stop()
    }

    @Test(
        "Junk is answered with 400 or with nothing, and ends its connection",
        arguments: [
            "\r\n\r\n\r\n\u{0}\u{0}", "GET\r\n\r\n", "GET /livez HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /livez HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n",
            "GET /livez HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        ])
    func junk(_ text: String) async throws {
        let operations = try await TestOperations(limits: Self.impatient)
        let client = try #require(operations.client())
        await client.send(text)
        if let answer = await client.response() { #expect([400, 404, 405, 505].contains(answer.status)) }
        #expect(await client.isClosedByPeer())
        let isServed = await eventually { await operations.get("/livez")?.status == 200 }
        #expect(isServed, "others are served")
        await operations.server.stop()
    }
}
