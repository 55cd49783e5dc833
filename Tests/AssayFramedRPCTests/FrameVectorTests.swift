import AssayCore
import AssayListening
import AssayTesting
import Foundation
import NIOCore
import NIOPosix
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

/// `docs/vectors/frames-v1.json`, made from the text of `proto/README.md`.
private struct FrameVectors: Decodable {
    let server: [ServerFrameVector]
    let client: [ClientFrameVector]

    static let all: FrameVectors? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return (try? Data(contentsOf: root.appending(path: "docs/vectors/frames-v1.json")))
            .flatMap { try? decoder.decode(FrameVectors.self, from: $0) }
    }()
}

/// A conversation with a server, step by step.
struct ServerFrameVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Limits: Decodable {
        let maxCallsPerConnection: Int?
        let maxCalls: Int?
        let drainTimeoutMs: Int?
        let firstFrameTimeoutMs: Int?
        let idleTimeoutMs: Int?
    }
    struct Step: Decodable {
        let clientHex: String?
        let clientEnds: Bool?
        let server: Answer?
        let serverHex: String?
        let serverEnds: Bool?
    }
    struct Answer: Decodable {
        let kind: String
        let callId: UInt64?
        let code: UInt32?
        let reason: String?
    }

    let id: String
    let limits: Limits
    let steps: [Step]

    var testDescription: String { id }

    var rpcLimits: RPCLimits {
        var limits = RPCLimits.patient
        if let count = self.limits.maxCallsPerConnection { limits.maxInFlightPerConnection = count }
        if let count = self.limits.maxCalls { limits.maxInFlightTotal = count }
        if let time = self.limits.drainTimeoutMs { limits.drainTimeout = .milliseconds(time) }
        if let time = self.limits.firstFrameTimeoutMs { limits.firstFrameTimeout = .milliseconds(time) }
        if let time = self.limits.idleTimeoutMs { limits.idleTimeout = .milliseconds(time) }
        return limits
    }
}

/// What a server sends to a call, and how the client reads it.
struct ClientFrameVector: Decodable, Sendable, CustomTestStringConvertible {
    struct Outcome: Decodable {
        let messageHex: String?
        let code: Int32?
        let reason: String?
        let begun: Bool?
        let closes: Bool?
        let sendsHex: String?
    }

    let id: String
    let serverHex: String
    let serverEnds: Bool
    let client: Outcome

    var testDescription: String { id }
}

@Suite("Frame vectors", .timeLimit(.minutes(30)))
struct FrameVectorTests {
    @Test("the frame vectors exist")
    func present() throws {
        let vectors = try #require(FrameVectors.all)
        #expect(vectors.server.count >= 40 && vectors.client.count >= 17)
        let reasons = vectors.server.flatMap(\.steps).compactMap(\.server?.reason)
        for reason in ["empty_frame", "frame_too_large", "undecodable_frame", "call_id_zero", "duplicate_call_id"] {
            #expect(reasons.contains(reason))
        }
    }

    @Test("the server answers as the frame vectors say", arguments: FrameVectors.all?.server ?? [])
    func server(_ vector: ServerFrameVector) async throws {
        try await TestServer.run(vector.rpcLimits) { server in
            let peer = try await RawPeer.connect(to: server.address)
            for step in vector.steps {
                if let hex = step.clientHex { try await peer.say(try #require(Hex.decode(hex))) }
                if step.clientEnds == true { try await peer.shutOutput() }
                if step.serverEnds == true { #expect(try await peer.hear() == nil) }
                guard let expected = step.server else { continue }
                let frame = try #require(try await peer.hear(), "the server ended")
                #expect(ServerFrameVector.Answer(frame) == expected)
                if let hex = step.serverHex { #expect(try Hex.encode(frame.wire) == hex) }
            }
        }
    }

    @Test("the client reads a server's frames as the frame vectors say", arguments: FrameVectors.all?.client ?? [])
    func client(_ vector: ClientFrameVector) async throws {
        let script = ServerScript(try #require(Hex.decode(vector.serverHex)), ends: vector.serverEnds)
        try await script.run { address in
            let client = try await RPCConnection.connect(to: address)
            let hi: [UInt8] = try Text("hi").serializedBytes()
            let result = await withCheckedContinuation { continuation in
                client.send(TestServer.echo, message: hi, timeout: .seconds(30)) { continuation.resume(returning: $0) }
            }
            switch result {
            case .success(let message):
                #expect(Hex.encode(message) == vector.client.messageHex)
            case .failure(let error):
                #expect(vector.client.messageHex == nil, "\(error)")
                if let code = vector.client.code { #expect(error.code.rawValue == code, "\(error)") }
                if let reason = vector.client.reason { #expect(error.reason == reason) }
                #expect(error.wasNotBegun == (vector.client.begun == false), "\(error)")
            }
            if vector.client.closes == true { try await eventually("the client closed") { !client.isOpen } }
            if let hex = vector.client.sendsHex {
                try await eventually("the client answered") { script.heard.hasSuffix(hex) }
            }
            await client.close()
        }
    }
}

extension ServerFrameVector.Answer: Equatable {
    fileprivate init(_ frame: Frame) {
        let status = frame.status
        switch frame.kind {
        case .goAway(let goAway): (kind, callId, code, reason) = ("go_away", nil, nil, goAway.reason)
        case .pong: (kind, callId, code, reason) = ("pong", nil, nil, nil)
        case .reply: (kind, callId, code, reason) = ("reply", frame.callID, status?.code ?? 0, status?.reason)
        case .item: (kind, callId, code, reason) = ("item", frame.callID, nil, nil)
        case .end: (kind, callId, code, reason) = ("end", frame.callID, status?.code ?? 0, status?.reason)
        default: (kind, callId, code, reason) = ("another", frame.callID, nil, nil)
        }
    }
}

/// A server that sends some bytes once the first bytes of a connection arrive, and keeps what it receives after that.
private final class ServerScript: Sendable {
    private let bytes: [UInt8]
    private let ends: Bool
    private let log = Mutex("")

    init(_ bytes: [UInt8], ends: Bool) { (self.bytes, self.ends) = (bytes, ends) }

    /// In hexadecimal.
    var heard: String { log.withLock { $0 } }

    func run(_ body: (RPCAddress) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Speaker(self))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(.tcp(host: "127.0.0.1", port: channel.localAddress?.port ?? 0))
        try await channel.close().get()
    }

    private final class Speaker: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let script: ServerScript
        private var hasSpoken = false

        init(_ script: ServerScript) { self.script = script }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let heard = Hex.encode(Array(Self.unwrapInboundIn(data).readableBytesView))
            script.log.withLock { $0 += heard }
            guard !hasSpoken else { return }
            hasSpoken = true
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: script.bytes)), promise: nil)
            if script.ends { context.close(mode: .output, promise: nil) }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        }
    }
}
