import AssayAPI
import AssayClient
import AssayRPC
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Streams over HTTP")
    struct FrontReloadTests {
        /// As many calls of `Operations/Watch` as a daemon has watchers, of as many callers as that takes, and calls of health's `Watch`.
        private static let (callers, watches, healths) = (4, 16, 9)
        private static let notServing: [UInt8] = [0x08, 2]
        private static let serving: [UInt8] = [0x08, 1]

        @Test("A reload with 100 streams open over HTTP loses none, and the end of the daemon ends each with its reason")
        func reload() async throws {
            let folder = try TemporaryFolder()
            let socket = "unix:" + folder.file("assayd.sock")
            let tls = try TLSHome(
                listen: [
                    socket.replacing("unix:", with: "unix: "),
                    "tls: 127.0.0.1:0, client_certificates: optional, protocol: http",
                ],
                keys: "{roles: [operate], apps: all}")
            let daemon = try await TestDaemon(tls.home, addresses: 2)
            let operating = try await AssayClient.connect(to: socket, options: ClientOptions(retry: .once))
            var clients: [GRPCCaller] = []
            for number in 0..<Self.callers {
                let key = try await operating.createKey("watcher-\(number)", roles: ["operate"]).key
                clients.append(try await GRPCCaller(port: try daemon.httpPort, authority: tls.serverCA.pem, key: key))
            }
            var events: [HeardStream] = []
            var healths: [HeardStream] = []
            for client in clients {
                for _ in 0..<Self.watches { events.append(HeardStream(client.stream(API.watch.path))) }
                for _ in 0..<Self.healths { healths.append(HeardStream(client.stream("/grpc.health.v1.Health/Watch"))) }
            }
            #expect(events.count + healths.count == 100)
            try await eventually("every stream has begun") {
                events.allSatisfy { $0.messages.count == 1 } && healths.allSatisfy { $0.messages.last == Self.serving }
            }

            let text = tls.folder.text("assayd.yaml")
            try tls.folder.write(text.replacing("  other:", with: "  third:"), to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await eventually("every stream has the event of the reload") {
                events.allSatisfy { $0.kinds.contains("change.configuration_load") }
            }
            _ = try await operating.createKey("after", roles: ["operate"])
            try await eventually("every stream has the event after it") {
                events.allSatisfy { $0.kinds == ["change.configuration_load", "change.key_create"] }
            }
            #expect((events + healths).allSatisfy { $0.end == nil } && clients.allSatisfy { $0.client.isOpen })

            await operating.close()
            #expect(await daemon.stop().status == 0)
            try await eventually("every stream has ended") { (events + healths).allSatisfy { $0.end != nil } }
            for end in (events + healths).map({ $0.end as? RPCError }) {
                #expect(end?.code == .unavailable && end?.reason == "shutting_down")
            }
            #expect(healths.allSatisfy { $0.messages.last == Self.notServing })
            for client in clients { await client.close() }
        }
    }

    /// What has come on a stream so far.
    private final class HeardStream: Sendable {
        private let state = Mutex<(messages: [[UInt8]], end: (any Error)?)>(([], nil))

        init(_ stream: AsyncThrowingStream<[UInt8], any Error>) {
            Task {
                do {
                    for try await message in stream { state.withLock { $0.messages.append(message) } }
                    state.withLock { $0.end = GRPCCaller.NoAnswer() }
                } catch {
                    state.withLock { $0.end = error }
                }
            }
        }

        var messages: [[UInt8]] { state.withLock { $0.messages } }
        var end: (any Error)? { state.withLock { $0.end } }

        /// Of the events, in a stream of `Operations/Watch`.
        var kinds: [String] {
            messages.compactMap { message in
                guard case .event(let event) = try? Assay_V1_WatchItem(serializedBytes: message).item else { return nil }
                return event.kind
            }
        }
    }
}
