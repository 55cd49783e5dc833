import AssaySimulator
import AssayTesting
import Foundation
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayListening
@testable import AssayRPC

/// Peers that send frames and read nothing. What answers them waits in memory, so each kind of frame is tried, at both sides.
@Suite("Unread answers", .timeLimit(.minutes(30)))
struct UnreadAnswerTests {
    /// A kind of frame that a peer floods with.
    enum Flood: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case ping, unknownMethod, tooMuchMetadata, cancelledCall, echo
        case pong, reply, item, end, cancel, unknownKind

        var testDescription: String { rawValue }

        static let answered: [Flood] = [.ping, .unknownMethod, .tooMuchMetadata, .cancelledCall, .echo]
        static let ignored: [Flood] = [.pong, .reply, .item, .end, .cancel, .unknownKind]

        func frame(_ id: UInt64) throws -> [UInt8] {
            var frame = Frame()
            frame.callID = id
            switch self {
            case .ping: return try Frame.pinging.wire
            case .unknownMethod: return try Frame.call(id, "/no").wire
            case .tooMuchMetadata:
                let metadata = Dictionary(uniqueKeysWithValues: (0..<33).map { ("\($0)", "") })
                return try Frame.call(id, TestServer.echo, metadata: metadata).wire
            case .cancelledCall: return try Frame.call(id, TestServer.sleep).wire + Frame.cancel(id).wire
            case .echo: return try Frame.call(id, TestServer.echo).wire
            case .pong: frame.pong = .init()
            case .reply: frame.reply = .init()
            case .item: frame.item = .init()
            case .end: frame.end = .init()
            case .cancel: frame.cancel = .init()
            // Field 63 is no kind.
            case .unknownKind: return Frame.wire([0xfa, 0x03, 0])
            }
            return try frame.wire
        }

        /// At least `size` bytes of whole frames, with ids from `first`.
        func frames(_ size: Int, from first: UInt64 = 1) throws -> [UInt8] {
            var (bytes, id) = ([UInt8](), first)
            while bytes.count < size {
                bytes += try frame(id)
                id += 1
            }
            return bytes
        }
    }

    // MARK: The server

    /// Of a Unix socket the kernel keeps less than 1 MiB.
    @Test("a server stops reading from a client that does not read what answers it", arguments: Flood.answered)
    func server(_ flood: Flood) async throws {
        var limits = RPCLimits.patient
        limits.writeTimeout = .milliseconds(300)
        let flooded = try flood.frames(4 << 20)
        try await TestServer.run(limits, at: .unix(path: socketPath())) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            peer.shout(flooded)
            try await eventually("the client is given up") { server.statistics.endedConnections == ["write_timeout": 1] }
            #expect(server.statistics.bytesReceived < 3 << 20)
            let honest = try await RawPeer.connect(to: server.address)
            try await honest.say(Frame.call(1, TestServer.echo, Text("served")).wire)
            #expect(try await honest.hear()?.text == "served")
        }
    }

    @Test("a server reads frames that nothing answers, and keeps none of them", arguments: Flood.ignored)
    func serverIgnores(_ flood: Flood) async throws {
        let flooded = try flood.frames(1 << 20)
        try await TestServer.run(at: .unix(path: socketPath())) { server in
            let peer = try await RawPeer.connect(to: server.address)
            try await peer.setReading(false)
            try await peer.say(flooded)
            try await peer.say(Frame.call(1, TestServer.echo, Text("served")).wire)
            try await peer.setReading(true)
            #expect(try await peer.hear()?.text == "served")
            #expect(server.statistics.bytesReceived > flooded.count)
            // The bytes of the call itself are given back when its answer may be here already.
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    @Test("a server stops reading from a TLS client that does not read what answers it")
    func serverTLS() async throws {
        var limits = RPCLimits.patient
        limits.writeTimeout = .milliseconds(300)
        let method = "/" + String(repeating: "n", count: 190)
        let call = try Frame.call(1, method).wire
        let tls = try TestTLS()
        try await tls.run(limits) { server in
            let peer = try await RawPeer.connect(to: server.address, tls: try tls.configuration())
            peer.shout(try Frame.pinging.wire)
            _ = try await peer.hear()
            try await peer.setReading(false)
            let calls = Array(repeatElement(call, count: 2000).joined())
            for _ in 0..<160 { peer.shout(calls) }
            try await eventually("the client is given up") { server.statistics.endedConnections == ["write_timeout": 1] }
            #expect(server.statistics.bytesReceived < 160 * calls.count)
        }
    }

    // MARK: The client

    @Test("a client ends the connection of a server that sends pings and does not read the pongs", arguments: [false, true])
    func client(isTLS: Bool) async throws {
        let tls = isTLS ? try TestTLS() : nil
        try await HostileServer.run(try Flood.ping.frames(60_000), tls: tls) { address in
            let client = try await RPCConnection.connect(to: address, tls: try tls?.caller())
            await #expect(throws: RPCError.answersNotRead) { let _: Text = try await client.call(TestServer.echo, Text("")) }
            await client.closed()
            #expect(client.end == .answersNotRead && !client.isOpen)
        }
    }

    @Test(
        "a client keeps nothing of frames that it did not ask for, and its calls go on",
        arguments: Flood.ignored + [.echo, .unknownMethod])
    func clientIgnores(_ flood: Flood) async throws {
        // Above the ids of the client's own calls.
        try await HostileServer.run(try flood.frames(60_000, from: 1000), times: 40) { address in
            let client = try await RPCConnection.connect(to: address)
            await #expect(throws: RPCError.deadlineExceeded) {
                let _: Text = try await client.call(TestServer.echo, Text(""), timeout: .milliseconds(300))
            }
            #expect(client.isOpen)
            client.abort()
        }
    }

    @Test("a client ends a connection whose server takes nothing of what it sent for the write timeout")
    func writeTimeout() async throws {
        var limits = RPCConnectionLimits()
        limits.writeTimeout = .milliseconds(300)
        // What comes from the server is a sign of life, and no sign that it reads.
        try await HostileServer.run(try Flood.pong.frames(60_000)) { [limits] address in
            let client = try await RPCConnection.connect(to: address, limits: limits)
            let message = [UInt8](repeating: 1, count: 1_000_000)
            for _ in 0..<8 { client.send(TestServer.echo, message: message) { _ in } }
            await #expect(throws: RPCError.writeTimeout) { let _: Text = try await client.call(TestServer.echo, Text("")) }
        }
    }

    @Test("a client has a bounded number of pings that are not answered")
    func pings() async throws {
        try await HostileServer.run([], times: 0) { address in
            let client = try await RPCConnection.connect(to: address)
            // The one ping that this server answers.
            _ = try await client.ping()
            await withTaskGroup(of: RPCError?.self) { group in
                for _ in 0...ClientConnection.pingLimit {
                    group.addTask {
                        do throws(RPCError) { _ = try await client.ping() } catch { return error }
                        return nil
                    }
                }
                // The first that ends is the one too many; the others wait for their pongs.
                #expect(await group.next() == .sendBufferFull)
                client.abort()
                for await error in group { #expect(error == .connectionLost) }
            }
        }
    }

    // MARK: The other side's calls

    @Test(
        "a connection ends whose other side calls or pings without reading, and one that reads late is served",
        arguments: [Flood.ping, .echo])
    func adopted(_ flood: Flood) async throws {
        var limits = RPCConnectionLimits()
        limits.maxAnswerBytes = 1 << 20
        let (own, other) = try socketPair()
        let connection = try await RPCConnection.adopt(own, limits: limits, serving: Replying(bytes: 10))
        // The id of a call stands once, so there are enough of them.
        let flooded = try flood.frames(flood == .echo ? 3 << 20 : 60_000)
        let flooding = Thread {
            while flooded.withUnsafeBytes({ write(other, $0.baseAddress, $0.count) }) > 0 {}
            close(other)
        }
        flooding.start()
        await connection.closed()
        #expect(connection.end == .answersNotRead)
    }

    @Test("sixteen calls of the other side are answered however large the replies are and however late it reads them")
    func lateReader() async throws {
        var limits = RPCConnectionLimits()
        limits.maxAnswerBytes = 1000
        let (own, other) = try socketPair()
        defer { close(other) }
        let size = 500_000
        let connection = try await RPCConnection.adopt(own, limits: limits, serving: Replying(bytes: size))
        let calls = try (1...UInt64(PeerCalls.limit)).flatMap { try Frame.call($0, "/x").wire }
        #expect(calls.withUnsafeBytes { write(other, $0.baseAddress, $0.count) } == calls.count)
        // Long enough for all replies to wait.
        try await Task.sleep(for: .milliseconds(200))
        #expect(connection.isOpen)
        let frames = await Task.detached { readFrames(other, count: PeerCalls.limit) }.value
        #expect(Set(frames.map(\.callID)).count == PeerCalls.limit)
        #expect(frames.allSatisfy { $0.reply.message.count == size })
        connection.abort()
    }

    private func socketPair() throws -> (CInt, CInt) {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        return (pair[0], pair[1])
    }
}

/// Answers each call at once, with as many bytes.
private struct Replying: PeerCallHandler {
    let bytes: Int

    func handle(_ method: String, _ message: [UInt8], answer: @escaping @Sendable (Result<[UInt8], RPCError>) -> Void) {
        answer(.success([UInt8](repeating: 7, count: bytes)))
    }
}

private func readFrames(_ descriptor: CInt, count: Int) -> [Frame] {
    var (bytes, frames) = (ByteBuffer(), [Frame]())
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while frames.count < count {
        let size = read(descriptor, &chunk, chunk.count)
        guard size > 0 else { break }
        bytes.writeBytes(chunk[..<size])
        while let frame = bytes.readLengthPrefixedSlice(as: UInt32.self) {
            frames.append((try? Frame(serializedBytes: Array(frame.readableBytesView))) ?? Frame())
        }
    }
    return frames
}

/// A server that answers the first frame with a pong, and from then on sends the same bytes and reads nothing.
private enum HostileServer {
    /// - Parameters:
    ///   - times: how often it sends the bytes; `nil`: as long as the connection lasts.
    static func run(
        _ bytes: [UInt8], times: Int? = nil, tls: TestTLS? = nil, _ body: (RPCAddress) async throws -> Void
    ) async throws {
        let context = try tls.map { tls in
            let issued = try tls.serverCA.issue(.server, names: [.dns("localhost"), .ipAddress([127, 0, 0, 1])])
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(issued.certificate.utf8)).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKey.utf8), format: .pem)))
            configuration.applicationProtocols = ["assay-rpc/1"]
            return try NIOSSLContext(configuration: configuration)
        }
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(Flooding(bytes, times))
                }
            }
        let channel: any Channel
        if tls == nil {
            channel = try await bootstrap.bind(unixDomainSocketPath: socketPath()).get()
        } else {
            // Kept small by the kernel, so that what the client sends soon waits in the client.
            channel = try await bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: 65_536)
                .bind(host: "127.0.0.1", port: 0).get()
        }
        let address: RPCAddress =
            tls == nil
            ? .unix(path: channel.localAddress?.pathname ?? "")
            : .tls(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
        try await body(address)
        try await channel.close().get()
    }

    private final class Flooding: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let bytes: [UInt8]
        private var times: Int?
        private var hasBegun = false

        init(_ bytes: [UInt8], _ times: Int?) { (self.bytes, self.times) = (bytes, times) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasBegun else { return }
            hasBegun = true
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            // A pong for a TLS client's first ping; others ignore it.
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: [0, 0, 0, 2, 0x42, 0])), promise: nil)
            flood(context)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func flood(_ context: ChannelHandlerContext) {
            if let times {
                guard times > 0 else { return }
                self.times = times - 1
            }
            let loop = context.eventLoop
            let next = NIOLoopBound((self, context), eventLoop: loop)
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: bytes))).whenSuccess {
                loop.execute { next.value.0.flood(next.value.1) }
            }
        }
    }
}
