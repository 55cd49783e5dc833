import NIOCore
import NIOPosix
import NIOSSL
import SwiftProtobuf
import Synchronization

@testable import AssayFramedRPC
@testable import AssayRPC

/// A peer that sends exactly the bytes that it is given, and keeps what it receives. It reads frames with the generated message, so
/// that the module's own reader is not its own judge.
final class RawPeer: Sendable {
    private let channel: any Channel
    private let ear: Ear

    /// - Parameter tls: how to speak TLS, right or wrong; nil: not at all, whatever the address says.
    static func connect(to address: RPCAddress, tls: TLSConfiguration? = nil) async throws -> RawPeer {
        let ear = Ear()
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    try channel.pipeline.syncOperations.addHandler(EarHandler(ear))
                }
            }
        switch address {
        case .tcp(let host, let port), .tls(let host, let port):
            let quick = bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
            return RawPeer(try await quick.connect(host: host, port: port).get(), ear)
        case .unix(let path, _):
            return RawPeer(try await bootstrap.connect(unixDomainSocketPath: path).get(), ear)
        }
    }

    private init(_ channel: any Channel, _ ear: Ear) { (self.channel, self.ear) = (channel, ear) }

    deinit { channel.close(promise: nil) }

    // MARK: Saying

    func say(_ bytes: some Sequence<UInt8>) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Without waiting for the kernel to take it.
    func shout(_ bytes: some Sequence<UInt8>) {
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    func shutOutput() async throws { try await channel.close(mode: .output).get() }
    func close() async { try? await channel.close().get() }

    /// Closes with a reset in place of an orderly end.
    func reset() async throws {
        if let socket = channel as? any SocketOptionProvider {
            try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        await close()
    }

    func setReading(_ isReading: Bool) async throws { try await channel.setOption(.autoRead, value: isReading).get() }

    // MARK: Hearing

    /// The next frame, or nil when the other side has ended and no frame is left.
    func hear() async throws -> Assay_Rpc_V1_Frame? { try await ear.next() }

    /// Every frame until the other side ends.
    func hearAll() async throws -> [Assay_Rpc_V1_Frame] {
        var frames: [Assay_Rpc_V1_Frame] = []
        while let frame = try await hear() { frames.append(frame) }
        return frames
    }

    var heardBytes: Int { ear.count }
    var hasEnded: Bool { ear.hasEnded }
}

/// The bytes heard and not yet taken.
private final class Ear: Sendable {
    private struct State {
        var bytes = ByteBuffer()
        var count = 0
        var hasEnded = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func hear(_ bytes: ByteBuffer?) {
        let waiting = state.withLock { state in
            if let bytes {
                state.bytes.writeImmutableBuffer(bytes)
                state.count += bytes.readableBytes
            } else {
                state.hasEnded = true
            }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    func next() async throws -> Assay_Rpc_V1_Frame? {
        while true {
            let (frame, hasEnded) = state.withLock { state -> (ByteBuffer?, Bool) in
                let frame = state.bytes.readLengthPrefixedSlice(as: UInt32.self)
                if state.bytes.readableBytes == 0 { state.bytes = ByteBuffer() }
                return (frame, state.hasEnded)
            }
            if let frame { return try Assay_Rpc_V1_Frame(serializedBytes: Array(frame.readableBytesView)) }
            if hasEnded { return nil }
            await withCheckedContinuation { continuation in
                let isNews = state.withLock { state in
                    guard !state.hasEnded,
                        state.bytes.getLengthPrefixedSlice(at: state.bytes.readerIndex, as: UInt32.self) == nil
                    else { return true }
                    state.waiting = continuation
                    return false
                }
                if isNews { continuation.resume() }
            }
        }
    }
}

private final class EarHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let ear: Ear

    init(_ ear: Ear) { self.ear = ear }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { ear.hear(Self.unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { ear.hear(nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { ear.hear(nil) }
    }
}
