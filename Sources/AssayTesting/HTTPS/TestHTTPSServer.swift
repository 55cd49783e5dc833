import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTPS server on a free port of the loopback interface, for tests of clients of vendors. It gives the answers that a test sets,
/// faults included, and records the requests.
///
///     let authority = try TestTLSAuthority()                    // of AssaySimulator
///     let issued = try authority.issue(.server, names: [.dns("localhost")])
///     let server = try await TestHTTPSServer(certificate: issued.certificate, privateKey: issued.privateKey)
///     server.answer { request in request.path == "/list" ? .json("{}") : TestHTTPSAnswer(404) }
///     server.answerNext(TestHTTPSAnswer(503), .silence)         // twice, before the rule above holds again
///     …                                                         // ask server.address, trusting authority.pem
///     #expect(server.requests.first?.header("authorization") == nil)
///     try await server.stop()
///
/// A client refuses the server if its certificate has another name or comes from an authority that the client does not trust.
public final class TestHTTPSServer: Sendable {
    public typealias Rule = @Sendable (TestHTTPSRequest) -> TestHTTPSAnswer

    private struct State {
        var rule: Rule
        var next: [TestHTTPSAnswer] = []
        var requests: [TestHTTPSRequest] = []
        var waiters: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var lastWaiter = 0
        var connections: [Int: any Channel] = [:]
        var connectionCount = 0
    }

    private let state: Mutex<State>
    private let listener: any Channel
    private let isEncrypted: Bool

    /// - Parameters:
    ///   - certificate: PEM, the server's own certificate first.
    ///   - clientAuthority: PEM, the authority from which each client must show a certificate; `nil`: none is asked for.
    ///   - rule: makes the answer to each request; 404 by default.
    public convenience init(
        certificate: String, privateKey: String, clientAuthority: String? = nil,
        answer rule: @escaping Rule = { _ in TestHTTPSAnswer(404) }
    ) async throws {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        if let clientAuthority {
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(clientAuthority.utf8)))
            configuration.certificateVerification = .noHostnameVerification
        }
        try await self.init(try NIOSSLContext(configuration: configuration), rule)
    }

    /// A server without TLS, for clients that may do without on loopback.
    ///
    /// - Parameter port: 0 for a free one.
    public static func plain(
        port: Int = 0, answer rule: @escaping Rule = { _ in TestHTTPSAnswer(404) }
    ) async throws -> TestHTTPSServer {
        try await TestHTTPSServer(nil, port: port, rule)
    }

    /// A server without TLS at a Unix socket.
    public static func plain(
        socket path: String, answer rule: @escaping Rule = { _ in TestHTTPSAnswer(404) }
    ) async throws -> TestHTTPSServer {
        try await TestHTTPSServer(nil, socket: path, rule)
    }

    private init(_ context: NIOSSLContext?, port: Int = 0, socket: String? = nil, _ rule: @escaping Rule) async throws {
        state = Mutex(State(rule: rule))
        isEncrypted = context != nil
        let reference = ServerReference()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(TestHTTPSHandler(reference))
                }
            }
        if let socket {
            listener = try await bootstrap.bind(unixDomainSocketPath: socket, cleanupExistingSocketFile: true).get()
        } else {
            listener = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
        }
        reference.set(self)
    }

    public var port: Int { listener.localAddress?.port ?? 0 }
    /// `https://localhost:` and the port; without TLS `http://127.0.0.1:`.
    public var address: String { isEncrypted ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

    /// Sets the rule for later requests.
    public func answer(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// Sets the answers to the next requests, in order. The rule applies again after them.
    public func answerNext(_ answers: TestHTTPSAnswer...) { state.withLock { $0.next += answers } }

    /// All requests so far, in the order in which they were complete.
    public var requests: [TestHTTPSRequest] { state.withLock { $0.requests } }

    /// The number of accepted connections, including those whose handshake failed.
    public var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Waits for `count` requests and returns all. The wait has no limit of its own: give the test one. On cancellation it returns the
    /// requests so far.
    public func requests(atLeast count: Int) async -> [TestHTTPSRequest] {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.requests.count < count, !Task.isCancelled else { return false }
                    state.waiters[waiter] = (count, continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.continuation.resume()
        }
        return requests
    }

    /// Stops listening and closes all connections. A second call does nothing.
    public func stop() async throws {
        if listener.isActive { try await listener.close() }
        for channel in state.withLock({ Array($0.connections.values) }) { channel.close(promise: nil) }
    }

    func opened(_ channel: any Channel) -> Int {
        state.withLock { state in
            state.connectionCount += 1
            state.connections[state.connectionCount] = channel
            return state.connectionCount
        }
    }

    func closed(_ connection: Int) { state.withLock { $0.connections[connection] = nil } }

    func take(_ request: TestHTTPSRequest) -> TestHTTPSAnswer {
        let (scripted, rule, ready) = state.withLock { state in
            state.requests.append(request)
            let ready = state.waiters.filter { $0.value.count <= state.requests.count }
            for waiter in ready.keys { state.waiters[waiter] = nil }
            return (state.next.isEmpty ? nil : state.next.removeFirst(), state.rule, ready)
        }
        for waiter in ready.values { waiter.continuation.resume() }
        return scripted ?? rule(request)
    }
}

/// A weak reference from the connections to the server, which is initialised after it listens.
final class ServerReference: Sendable {
    private struct State {
        weak var server: TestHTTPSServer?
    }
    private let state = Mutex(State())

    func set(_ server: TestHTTPSServer) { state.withLock { $0.server = server } }
    var server: TestHTTPSServer? { state.withLock { $0.server } }
}

/// A request that the test server received.
public struct TestHTTPSRequest: Hashable, Sendable {
    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    public let method: String
    /// The path with the query.
    public let path: String
    /// In order. A name may occur several times.
    public let headers: [Header]
    public let body: [UInt8]
    /// The number of the connection, counted from 1 for each server.
    public let connection: Int

    /// The first header with a name, in upper or lower case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    public var text: String { String(decoding: body, as: UTF8.self) }
}

/// An answer of the test server, with the fault that it simulates.
public struct TestHTTPSAnswer: Sendable {
    /// How an answer ends.
    public enum Ending: Sendable {
        /// The whole body; the connection stays open.
        case whole
        /// Half of the body; then the server closes the connection.
        case cutShort
        /// Half of the body; then nothing, on an open connection.
        case stalled
        /// No byte; the connection stays open.
        case silent
        /// No byte; the server closes the connection.
        case hungUp
    }

    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    public var ending: Ending
    /// The time between request and answer.
    public var delay: Duration
    /// What holds the answer back.
    public var gate: TestGate?

    public init(
        _ status: Int = 200, _ body: [UInt8] = [], headers: [(name: String, value: String)] = [],
        ending: Ending = .whole, delay: Duration = .zero
    ) {
        (self.status, self.body, self.headers) = (status, body, headers)
        (self.ending, self.delay) = (ending, delay)
    }

    public init(
        _ status: Int = 200, text: String, headers: [(name: String, value: String)] = [], ending: Ending = .whole,
        delay: Duration = .zero
    ) {
        self.init(status, Array(text.utf8), headers: headers, ending: ending, delay: delay)
    }

    /// The answer once the gate is open.
    public func held(by gate: TestGate) -> TestHTTPSAnswer {
        var answer = self
        answer.gate = gate
        return answer
    }

    public static func json(_ text: String, status: Int = 200) -> TestHTTPSAnswer {
        TestHTTPSAnswer(status, text: text, headers: [("content-type", "application/json")])
    }

    /// A body of `count` zero bytes.
    public static func zeros(_ count: Int) -> TestHTTPSAnswer {
        TestHTTPSAnswer(200, [UInt8](repeating: 0, count: count))
    }

    public static let silence = TestHTTPSAnswer(ending: .silent)
    public static let hangUp = TestHTTPSAnswer(ending: .hungUp)
}
