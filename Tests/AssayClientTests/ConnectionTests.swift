import AssayAPI
import AssayClient
import AssayCore
import AssayFramedRPC
import AssayListening
import AssayRPC
import Testing

@Suite("Connection of a client")
struct ConnectionTests {
    @Test(
        "is not made to what is no address",
        arguments: ["", "host", "host:", "host:99999", "unix:", "http://host:1/?", "ftp://host:1/", "::1:80"])
    func badAddress(_ text: String) async {
        let error = await #expect(throws: AssayError.self) { try await AssayClient.connect(to: text) }
        #expect(error?.code == .invalidArgument && error?.reason == "bad_address")
        #expect(error?.message.contains("\"\(text)\"") == true)
    }

    @Test("No connection is made to an address without a listener")
    func noListener() async throws {
        for address in ["unix:/nonexistent/assay.sock", try await addressOfTheDead()] {
            let error = await #expect(throws: AssayError.self) {
                try await AssayClient.connect(to: address, options: ClientOptions(retry: .once))
            }
            #expect(error?.code == .unavailable && error?.reason == "connect_failed")
        }
    }

    /// Where a daemon was.
    private func addressOfTheDead() async throws -> String {
        var address = ""
        try await TestDaemon.run(.tcp) { address = try $0.address }
        return address
    }

    @Test("says so when the daemon is gone", arguments: TestDaemon.Socket.allCases)
    func gone(_ socket: TestDaemon.Socket) async throws {
        var kept: AssayClient?
        try await TestDaemon.run(socket) { daemon in
            let client = try await daemon.connect()
            _ = try await client.status()
            kept = client
        }
        let client = try #require(kept)
        let error = await #expect(throws: AssayError.self) { try await client.status() }
        #expect(error?.code == .unavailable && error?.reason == "connect_failed", "it tried to connect again")
        let ping = await #expect(throws: AssayError.self) { try await client.ping() }
        #expect(ping?.code == .unavailable)
        await client.close()
    }

    @Test("takes no calls once it is closed here")
    func closed() async throws {
        try await TestDaemon.run { daemon in
            let client = try await daemon.connect()
            await client.close()
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .unavailable && error?.reason == "connection_closed")
        }
    }

    @Test("is refused beyond what the daemon lets in, and may come back")
    func tooMany() async throws {
        var limits = RPCLimits.patient
        limits.maxConnections = 1
        try await TestDaemon.run(limits: limits) { daemon in
            let first = try await daemon.connect()
            _ = try await first.status()
            let second = try await daemon.connect()
            let error = await #expect(throws: AssayError.self) { try await second.status() }
            #expect(error?.code == .unavailable)
            #expect(try await first.status().traffic.connections >= 1)
            await second.close()
            await first.close()
        }
    }
}

@Suite("Client's error")
struct AssayErrorTests {
    @Test("reads as one sentence with its reason")
    func text() {
        #expect(
            AssayError(.notFound, "no such device", reason: "unknown_device").description
                == "NOT_FOUND (unknown_device): no such device")
        #expect(AssayError(.unavailable, "later").description == "UNAVAILABLE: later")
    }
}
