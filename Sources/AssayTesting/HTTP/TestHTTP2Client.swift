import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A client of HTTP/2 on this machine, for tests of servers. Requests go side by side on its one connection.
///
///     let client = try await TestHTTP2Client.connect(port: 8080)
///     let answer = try await client.post("/v1/operations/who-am-i", [("content-type", "application/json")], Array("{}".utf8))
///     #expect(answer.status == 200)
///     await client.close()
public final class TestHTTP2Client: Sendable {
    public struct Answer: Sendable {
        fileprivate var head = HPACKHeaders()
        fileprivate var trailers = HPACKHeaders()
        public fileprivate(set) var body: [UInt8] = []

        /// 0 if the answer has none.
        public var status: Int { head.first(name: ":status").flatMap { Int($0) } ?? 0 }

        /// The value of a field of the trailers, or else of the head.
        public func field(_ name: String) -> String? { trailers.first(name: name) ?? head.first(name: name) }
    }

    /// The connection, or the request's stream, ended before the answer did.
    public struct Ended: Error {}

    private typealias Stream = NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>

    private let channel: any Channel
    private let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>
    private let port: Int

    /// - Parameter authority: PEM, the CA of the server, which has TLS then; `nil`: it has none.
    public static func connect(port: Int, authority: String? = nil) async throws -> TestHTTP2Client {
        let context = try authority.map { pem in
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
            configuration.applicationProtocols = ["h2"]
            return try NIOSSLContext(configuration: configuration)
        }
        let (channel, streams) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil)) }
                    // The server begins no streams.
                    let streams = try pipeline.configureAsyncHTTP2Pipeline(mode: .client) {
                        $0.eventLoop.makeSucceededVoidFuture()
                    }
                    return (channel, streams)
                }
            }
        return TestHTTP2Client(channel, streams, port)
    }

    private init(_ channel: any Channel, _ streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Void>, _ port: Int) {
        (self.channel, self.streams, self.port) = (channel, streams, port)
    }

    deinit { channel.close(promise: nil) }

    /// Whether the connection has not ended.
    public var isOpen: Bool { channel.isActive }

    public func close() async { try? await channel.close().get() }

    /// Makes a request and waits for the end of its answer. Cancelling the task resets the request's stream.
    ///
    /// - Parameters:
    ///   - fields: beside the pseudo-header fields, with names in lower case.
    ///   - onBody: gets the parts of the answer's body as they come.
    public func post(
        _ path: String, _ fields: [(String, String)], _ body: [UInt8],
        onBody: @escaping @Sendable ([UInt8]) throws -> Void = { _ in }
    ) async throws -> Answer {
        let stream = try await streams.openStream { channel in
            channel.eventLoop.makeCompletedFuture { try Stream(wrappingChannelSynchronously: channel) }
        }
        let headers = HPACKHeaders(
            [(":method", "POST"), (":scheme", "http"), (":authority", "127.0.0.1:\(port)"), (":path", path)] + fields)
        return try await stream.executeThenClose { inbound, outbound in
            try await outbound.write(.headers(.init(headers: headers)))
            try await outbound.write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true)))
            var answer = Answer()
            for try await payload in inbound {
                var isEnd = false
                switch payload {
                case .headers(let headers):
                    if answer.head.isEmpty { answer.head = headers.headers } else { answer.trailers = headers.headers }
                    isEnd = headers.endStream
                case .data(let data):
                    guard case .byteBuffer(let buffer) = data.data else { break }
                    let bytes = Array(buffer.readableBytesView)
                    answer.body += bytes
                    if !bytes.isEmpty { try onBody(bytes) }
                    isEnd = data.endStream
                default: break
                }
                if isEnd { return answer }
            }
            throw Ended()
        }
    }
}
