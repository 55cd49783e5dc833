import AssayAPI
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayFramedRPC
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import AssayVendors
import Foundation
import SwiftProtobuf
import Testing

@testable import DaemonTesting

@Suite("One daemon behind two protocols", .timeLimit(.minutes(30)))
struct TwoProtocolTests {
    /// A daemon in this process that listens over both.
    private struct Running {
        let home: TestHome
        let daemon: Daemon
        /// Of the framed protocol, and of HTTP.
        private let addresses: [RPCAddress]

        init(_ home: TestHome) async throws {
            self.home = home
            daemon = try await makeDaemon(
                try Configuration.load(home.configuration), ledger: MemoryLedger(),
                vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), logger: .silent)
            addresses = try await daemon.start()
        }

        func framed() async throws -> FramedCaller { try await FramedCaller(try #require(addresses.first).description) }

        var httpPort: Int {
            get throws { try #require(addresses.last?.description.split(separator: ":").last.flatMap { Int($0) }) }
        }

        func grpc() async throws -> GRPCCaller { try await GRPCCaller(port: try httpPort) }
        func json() throws -> JSONCaller { JSONCaller(port: try httpPort) }

        func end() async {
            await daemon.server.stop()
            daemon.vendors.close()
        }
    }

    private static func reason(_ caller: any MethodCaller) async -> String {
        do {
            _ = try await caller.call(API.whoAmI, Assay_V1_WhoAmIRequest())
            return ""
        } catch {
            return (error as? RPCError)?.reason ?? "\(error)"
        }
    }

    @Test("What one caller has in flight over both protocols counts together against its bound")
    func inFlight() async throws {
        let bound = 6
        let running = try await Running(.speakingHTTP(more: "limits: {max_calls_per_caller: \(bound)}"))
        let (framed, grpc, json) = (try await running.framed(), try await running.grpc(), try running.json())
        let callers: [any MethodCaller] = [framed, grpc, json]
        func watch(byFrames: Bool) async throws -> Task<Void, any Error> {
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let watching = Task {
                defer { begin.finish() }
                if byFrames {
                    let items = try framed.connection.stream(
                        API.watch.path, Assay_V1_WatchRequest(), of: Assay_V1_WatchItem.self)
                    for try await _ in items { begin.yield() }
                } else {
                    for try await _ in grpc.stream(API.watch.path) { begin.yield() }
                }
            }
            var iterator = begins.makeAsyncIterator()
            try #require(await iterator.next() != nil, "the first item is the start")
            return watching
        }
        var watching: [Task<Void, any Error>] = []
        for number in 0..<bound { watching.append(try await watch(byFrames: number % 2 == 0)) }
        for caller in callers { #expect(await Self.reason(caller) == "too_many_calls") }
        for byFrames in [true, false] {
            watching.remove(at: byFrames ? 0 : watching.count - 1).cancel()
            try await eventually("the end of a stream is seen") { await Self.reason(json).isEmpty }
            for caller in callers { #expect(await Self.reason(caller).isEmpty) }
            watching.append(try await watch(byFrames: byFrames))
            for caller in callers { #expect(await Self.reason(caller) == "too_many_calls") }
        }
        for task in watching { task.cancel() }
        for caller in callers { await caller.close() }
        await running.end()
    }

    @Test("A device that is blocked over HTTP is blocked for frames, and the reverse")
    func block() async throws {
        let running = try await Running(.speakingHTTP())
        let (framed, grpc, json) = (try await running.framed(), try await running.grpc(), try running.json())
        let callers: [any MethodCaller] = [framed, grpc, json]
        let app = running.home.app
        func challenge(_ purpose: Assay_V1_Purpose) async throws -> [UInt8] {
            let request = Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose) = (app.text, purpose) }
            return Array(try await json.call(API.issueChallenge, request).challenge)
        }
        var phone = running.home.phone()
        let registration = try phone.registration(try await challenge(.register)).message
        let device = try await grpc.call(API.verify, registration).deviceID
        func outcomes() async throws -> Set<String> {
            var outcomes: Set<String> = []
            for caller in callers {
                outcomes.insert(
                    try await caller.call(API.verify, try phone.upload(try await challenge(.assert)).message).outcome)
            }
            return outcomes
        }
        #expect(try await outcomes() == ["accepted"])
        for (blocking, lifting) in [(json as any MethodCaller, grpc as any MethodCaller), (grpc, framed), (framed, json)] {
            let block = Assay_V1_BlockRequest.with {
                ($0.app, $0.target.deviceID, $0.reason) = (app.text, device, "stolen")
            }
            #expect(try await blocking.call(API.block, block).devices == 1)
            #expect(try await outcomes() == ["device_blocked"])
            let unblock = Assay_V1_UnblockRequest.with { ($0.app, $0.target.deviceID) = (app.text, device) }
            #expect(try await lifting.call(API.unblock, unblock).wasBlocked)
            #expect(try await outcomes() == ["accepted"])
        }
        for caller in callers { await caller.close() }
        await running.end()
    }

    @Test("A number that an enumeration does not have is answered alike over frames, gRPC and JSON")
    func unknownNumbers() async throws {
        let running = try await Running(
            TestHome(
                listen: ["tcp: 127.0.0.1:0", "tcp: 127.0.0.1:0, protocol: http"], callers: "{loopback_demo: true}",
                android: AndroidAuthority(seed: "unknown numbers")))
        let (framed, grpc, json) = (try await running.framed(), try await running.grpc(), try running.json())
        let callers: [any MethodCaller] = [framed, grpc, json]
        func challenge(_ purpose: Assay_V1_Purpose) async throws -> [UInt8] {
            let request = Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose) = (running.home.app.text, purpose) }
            return Array(try await json.call(API.issueChallenge, request).challenge)
        }
        let phone = try TestAndroid(running.home)
        let enrolment = try await challenge(.register)
        let data = try #require(ClientData(purpose: .register, challenge: enrolment))
        let chain = try phone.key.attest(challenge: data.bytes, at: SystemClock().now())
        let registration = VerificationRequest(
            app: phone.app, purpose: .register, challenge: enrolment,
            evidence: [Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain))])
        #expect(try await json.call(API.verify, registration.message).outcome == "accepted")

        var verdicts: Set<String> = []
        var errors: Set<String> = []
        for caller in callers {
            var upload = try phone.upload(try await challenge(.assert)).message
            upload.evidence[0].keySignature.algorithm = .UNRECOGNIZED(99)
            let verdict = try await caller.call(API.verify, upload)
            #expect(verdict.outcome == "unsupported_algorithm")
            verdicts.insert("\(verdict.decision) \(verdict.reason) \(verdict.check) \(verdict.retry) \(verdict.detail)")
            let request = Assay_V1_IssueChallengeRequest.with {
                ($0.app, $0.purpose) = (running.home.app.text, .UNRECOGNIZED(-7))
            }
            do {
                _ = try await caller.call(API.issueChallenge, request)
                Issue.record("a challenge is issued")
            } catch let error as RPCError {
                #expect(error.code == .invalidArgument)
                errors.insert("\(error.reason) \(error.message)")
            }
        }
        #expect(verdicts.count == 1 && errors.count == 1, "\(verdicts) \(errors)")
        for caller in callers { await caller.close() }
        await running.end()
    }

    @Test("An API key that is revoked is refused for the next call on a connection that is open, over both protocols")
    func revokedKey() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("assayd.sock")
        let tls = try TLSHome(
            listen: ["unix: \(socket)", "tls: 127.0.0.1:0, client_certificates: optional, protocol: http"],
            keys: "{roles: [verify, observe], apps: all}")
        let running = try await Running(tls.home)
        // The operator's own calls have no key.
        let framed = try await running.framed()
        let create = Assay_V1_CreateKeyRequest.with { ($0.name, $0.roles) = ("uploads-abroad", ["verify"]) }
        let key = try await framed.call(API.createKey, create).key
        let grpc = try await GRPCCaller(port: try running.httpPort, authority: tls.serverCA.pem, key: key)
        func byFrames() async throws -> Assay_V1_WhoAmIResponse {
            try await framed.connection.call(
                API.whoAmI.path, Assay_V1_WhoAmIRequest(), timeout: TestPhone.patience,
                metadata: [RPCMetadata.authorization: "Bearer \(key)"])
        }
        func byJSON() async throws -> TestHTTP2Client.Answer {
            try await grpc.client.post(
                "/v1/operations/who-am-i", [("content-type", "application/json"), ("authorization", "Bearer \(key)")],
                Array("{}".utf8))
        }
        #expect(try await byFrames().name == "key:uploads-abroad")
        #expect(try await grpc.call(API.whoAmI, Assay_V1_WhoAmIRequest()).name == "key:uploads-abroad")
        #expect(try await byJSON().status == 200)

        let revoke = Assay_V1_RevokeKeyRequest.with { ($0.name, $0.reason) = ("uploads-abroad", "lost") }
        _ = try await framed.call(API.revokeKey, revoke)
        await #expect { try await byFrames() } throws: { ($0 as? RPCError)?.reason == "permission_denied" }
        #expect(await Self.reason(grpc) == "permission_denied")
        let refused = try await byJSON()
        #expect(refused.status == 403 && TestCallStatus(connect: refused.body)?.reason == "permission_denied")
        #expect(grpc.client.isOpen)
        await grpc.close()
        await framed.close()
        await running.end()
    }
}
