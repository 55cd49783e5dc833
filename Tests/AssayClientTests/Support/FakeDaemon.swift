import AssayAPI
import AssayClient
import AssayCore
import AssayFramedRPC
import AssayRPC
import Foundation
import Logging
import SwiftProtobuf
import Synchronization
import Testing

/// A server that speaks the API and answers as a test tells it to. It can die and come back at its address.
final class FakeDaemon: Sendable {
    /// What a call comes to; a handler that throws answers an error.
    typealias Answer = @Sendable (RPCCall, Int) async throws(RPCError) -> any SwiftProtobuf.Message

    private struct State {
        var server: RPCServer?
        var calls: [RPCCall] = []
        var answer: Answer
    }
    private let state: Mutex<State>
    private let address: RPCAddress

    var text: String { "\(address)" }
    /// The calls that reached it, in order.
    var calls: [RPCCall] { state.withLock { $0.calls } }
    /// Connections since it came last.
    var accepted: Int { state.withLock { $0.server?.statistics.acceptedConnections ?? 0 } }
    var open: Int { state.withLock { $0.server?.statistics.openConnections ?? 0 } }

    /// - Parameter answer: gets a call and its number, from 1.
    init(_ answer: @escaping Answer) {
        address = .unix(path: NSTemporaryDirectory() + "assay-fake-\(UInt64.random(in: 0..<(.max))).sock")
        state = Mutex(State(answer: answer))
    }

    /// Runs it around `body`, and stops it.
    static func run(_ answer: @escaping Answer, _ body: (FakeDaemon) async throws -> Void) async throws {
        let daemon = FakeDaemon(answer)
        try await daemon.come()
        do {
            try await body(daemon)
        } catch {
            await daemon.go()
            throw error
        }
        await daemon.go()
    }

    func come() async throws {
        let paths = [
            "/assay.v1.Attestation/IssueChallenge", "/assay.v1.Attestation/Verify", "/assay.v1.Operations/Status",
            "/assay.v1.Provisioning/Issue", "/assay.v1.Provisioning/Renew", "/assay.v1.Provisioning/ProvisionDevice",
            "/assay.v1.Provisioning/AddEnrolments", "/assay.v1.Provisioning/Revoke",
        ]
        let methods = paths.map { path in
            RPCMethod(path: path, handler: .unary { call throws(RPCError) in try await self.answer(call) })
        }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let server = RPCServer(
            RPCService(methods: methods, state: ServingState(processors: FramedServer.processors, logger: logger)),
            fronts: [
                FramedServer(
                    addresses: [address], limits: RPCLimits.patient.framed, connections: RPCLimits.patient.connections,
                    logger: logger, threads: 1)
            ])
        try await server.start()
        state.withLock { $0.server = server }
    }

    /// GoAway, and what is in flight is finished.
    func go() async {
        let server = state.withLock { state in
            defer { state.server = nil }
            return state.server
        }
        await server?.stop()
    }

    private func answer(_ call: RPCCall) async throws(RPCError) -> [UInt8] {
        let (answer, number) = state.withLock { state in
            state.calls.append(call)
            return (state.answer, state.calls.count)
        }
        return try await answer(call, number).serialised()
    }

    func client(_ time: TestTime, _ options: ClientOptions = ClientOptions()) throws -> AssayClient {
        try AssayClient(address: text, options: options, time: time.time)
    }

    static let unavailable = RPCError(.unavailable, "later", reason: "ledger_unavailable")
}
