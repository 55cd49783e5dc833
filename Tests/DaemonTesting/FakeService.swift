import AssayFramedRPC
import AssayRPC
import Foundation
import Logging
import SwiftProtobuf
import Synchronization

/// A server at a Unix socket that answers each method with one message, and keeps what was asked.
final class FakeService: Sendable {
    /// Requests by the path of the method.
    private final class Asked: Sendable {
        let messages = Mutex<[String: [UInt8]]>([:])
    }

    private let asked = Asked()
    private let server = Mutex<RPCServer?>(nil)
    private let path: String

    /// For `ASSAY_SERVER`.
    var address: String { "unix:" + path }

    /// - Parameter answers: by the path of the method.
    init(in folder: TemporaryFolder, _ answers: [String: any SwiftProtobuf.Message]) async throws {
        path = folder.file("fake.sock")
        let methods = answers.map { name, answer in
            RPCMethod(
                path: name,
                handler: .unary { [asked] (call) throws(RPCError) in
                    asked.messages.withLock { $0[name] = Array(call.message) }
                    return try answer.serialised()
                })
        }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let server = RPCServer(
            RPCService(methods: methods, state: ServingState(processors: FramedServer.processors, logger: logger)),
            fronts: [FramedServer(addresses: [.unix(path: path)], logger: logger, threads: 1)])
        try await server.start()
        self.server.withLock { $0 = server }
    }

    /// The last request of a method.
    func request<Request: SwiftProtobuf.Message>(_ method: String, as type: Request.Type) throws -> Request {
        try Request(serializedBytes: asked.messages.withLock { $0[method] ?? [] })
    }

    func stop() async { await server.withLock { $0 }?.stop() }
}
