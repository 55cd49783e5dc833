import AssayTesting
import Glibc
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

@Suite("Many connections", .serialized)
struct ManyConnectionsTests {
    @Test("2,500 idle connections do not slow down an active one")
    func idleConnections() async throws {
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        descriptors.rlim_cur = min(descriptors.rlim_max, 20_000)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        // Both ends of each connection are in this process.
        let count = min(2500, (Int(descriptors.rlim_cur) - 1000) / 2)
        var limits = RPCLimits.patient
        limits.firstFrameTimeout = .seconds(300)
        try await TestServer.run(limits) { server in
            var peers: [RawPeer] = []
            for _ in 0..<count { peers.append(try await RawPeer.connect(to: server.address)) }
            try await eventually("all are in") { server.statistics.openConnections == count }
            let client = try await RPCConnection.connect(to: server.address)
            for number in 0..<1000 {
                let reply: Text = try await client.call(TestServer.echo, Text("\(number)"), timeout: .seconds(30))
                #expect(reply.value == "\(number)")
            }
            // All connections are still open.
            for peer in peers { peer.shout(try Frame.pinging.wire) }
            for peer in peers { #expect(try await peer.hear()?.kind == .pong(.init())) }
            await client.close()
            for peer in peers { await peer.close() }
            try await eventually("all have left") { server.statistics.openConnections == 0 }
        }
    }

    @Test("running out of descriptors does not end the listener")
    func descriptorExhaustion() async throws {
        // In a process of its own: without descriptors the other tests would fail too.
        await #expect(processExitsWith: .success) {
            var descriptors = rlimit(rlim_cur: 100, rlim_max: 100)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
            try await TestServer.run { server in
                var peers: [RawPeer] = []
                // The kernel completes connections that the process cannot accept.
                while let peer = try? await RawPeer.connect(to: server.address) { peers.append(peer) }
                for peer in peers { await peer.close() }
                peers = []
                try await eventually("all are gone") { server.statistics.openConnections == 0 }
                let late = try await RawPeer.connect(to: server.address)
                try await late.say(Frame.call(1, TestServer.echo, Text("still listening")).wire)
                #expect(try await late.hear()?.text == "still listening")
            }
        }
    }
}
