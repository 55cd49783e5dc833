import AssayAPI
import AssayHTTP
import AssayOperations
import AssayRPC
import AssayService
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayDaemon

@Suite("Health of the services", .timeLimit(.minutes(30)))
struct HealthFeedTests {
    private static let services = MethodDeclaration.declaredServices
    /// The services, and the whole server, whose name is empty.
    private static let all = Set(services + [""])

    private static func stopped(by causes: Readiness.Cause...) -> Set<String> {
        Set(Readiness(causes: causes).serving(services).filter { !$0.value }.keys)
    }

    private static func cause(_ code: AttentionCode, app: String = "") -> Readiness.Cause {
        Readiness.Cause(code: code.rawValue, message: "why", app: app)
    }

    @Test("A daemon that is ready serves every service and the whole server")
    func ready() {
        let serving = Readiness(causes: [], others: [Self.cause(.diskLow)]).serving(Self.services)
        #expect(Set(serving.keys) == Self.all)
        #expect(serving.values.allSatisfy { $0 })
    }

    @Test(
        "A ledger that gives no answer stops the services that need it, and the status is served",
        arguments: [AttentionCode.storeUnavailable, .storeDamaged, .storeReplaced])
    func ledger(_ code: AttentionCode) {
        #expect(
            Self.stopped(by: Self.cause(code)) == [
                "", "assay.v1.Attestation", "assay.v1.Devices", "assay.v1.Provisioning", "assay.v1.Audit", "assay.v1.Keys",
            ])
    }

    @Test(
        "What keeps evidence from being judged stops the services that judge it",
        arguments: [AttentionCode.noChallenges, .evidenceMemoryFull, .feedMissing, .feedOutdated, .pluginNotReady])
    func judging(_ code: AttentionCode) {
        #expect(Self.stopped(by: Self.cause(code)) == ["", "assay.v1.Attestation", "assay.v1.Provisioning"])
    }

    @Test("A daemon that starts or stops serves nothing", arguments: ["starting", "stopping", "a code of later"])
    func phases(_ code: String) {
        #expect(Self.stopped(by: Readiness.Cause(code: code, message: "")) == Self.all)
    }

    @Test("When no caller connects with TLS, the status alone is served")
    func certificates() {
        let stopped = Self.stopped(by: Self.cause(.certificateExpired))
        #expect(stopped == Self.all.subtracting(["assay.v1.Operations"]))
    }

    @Test("An app that is not ready stops no service, and beside it another cause counts")
    func app() {
        for code in AttentionCode.allCases { #expect(Self.stopped(by: Self.cause(code, app: "camera")).isEmpty, "\(code)") }
        #expect(
            Self.stopped(by: Self.cause(.storeDamaged, app: "camera"), Self.cause(.noChallenges))
                == Self.stopped(by: Self.cause(.noChallenges)))
    }

    @Test("What makes the daemon unready stops a service, and what does not, none")
    func readiness() {
        for code in AttentionCode.allCases {
            let status = Assay_V1_StatusResponse.with { $0.attention = [.with { $0.code = code.rawValue }] }
            let readiness = Readiness(status, .serving)
            #expect(readiness.serving(Self.services)[""] == readiness.isReady, "\(code)")
        }
    }

    @Test("The services that are named are declared")
    func names() {
        let named = Readiness.servicesOfTheLedger.union(Readiness.judgingServices).union([Readiness.operations])
        #expect(named.isSubset(of: Self.services))
        #expect(Readiness.judgingServices.isSubset(of: Readiness.servicesOfTheLedger))
    }

    // MARK: The feed

    /// What the daemon says when it is asked, and whether it is held back.
    private final class Source: Sendable {
        private struct State {
            var readiness = Readiness(causes: [])
            var isHeld = false
            var waiting: CheckedContinuation<Void, Never>?
            var asked = 0
        }
        private let state = Mutex(State())

        var asked: Int { state.withLock { $0.asked } }
        var isWaiting: Bool { state.withLock { $0.waiting != nil } }
        func say(_ readiness: Readiness) { state.withLock { $0.readiness = readiness } }
        func hold() { state.withLock { $0.isHeld = true } }

        func release() {
            state.withLock { state -> CheckedContinuation<Void, Never>? in
                defer { (state.isHeld, state.waiting) = (false, nil) }
                return state.waiting
            }?.resume()
        }

        func readiness() async -> Readiness {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    state.asked += 1
                    if state.isHeld { state.waiting = continuation }
                    return state.isHeld
                }
                if !waits { continuation.resume() }
            }
            return state.withLock { $0.readiness }
        }
    }

    /// What Check answers: 1 serving, 2 not serving.
    private static func check(_ register: HealthRegister, _ service: String) async throws -> UInt8? {
        guard case .unary(let work)? = register.methods.first(where: { $0.path.hasSuffix("/Check") })?.handler else {
            return nil
        }
        let name = service.isEmpty ? [] : [0x0A, UInt8(service.utf8.count)] + Array(service.utf8)
        let call = RPCCall(
            method: "/grpc.health.v1.Health/Check", message: name,
            peer: .unix(userID: 1, groupID: 1, processID: 1), onAnswer: { _ in })
        return try await work(call).last
    }

    @Test("The register follows what the daemon says")
    func follows() async throws {
        let (source, register) = (Source(), HealthRegister())
        let feed = HealthFeed(register) { await source.readiness() }
        #expect(try await Self.check(register, "") == 2)
        await feed.ask()
        #expect(try await Self.check(register, "") == 1)
        #expect(try await Self.check(register, "assay.v1.Devices") == 1)
        source.say(Readiness(causes: [Self.cause(.storeUnavailable)]))
        await feed.ask()
        #expect(try await Self.check(register, "") == 2)
        #expect(try await Self.check(register, "assay.v1.Devices") == 2)
        #expect(try await Self.check(register, "assay.v1.Operations") == 1)
        source.say(Readiness(causes: []))
        await feed.ask()
        #expect(try await Self.check(register, "assay.v1.Devices") == 1)
    }

    @Test("A question that stays without an answer is a ledger that gives none, until there is an answer")
    func hangs() async throws {
        let (source, register) = (Source(), HealthRegister())
        let feed = HealthFeed(register) { await source.readiness() }
        await feed.ask()
        source.hold()
        let question = Task { await feed.ask() }
        try await eventually("the question is asked") { source.isWaiting }
        feed.look(at: .now)
        #expect(try await Self.check(register, "assay.v1.Devices") == 1)
        feed.look(at: .now + HealthFeed.patience + .seconds(1))
        #expect(try await Self.check(register, "assay.v1.Devices") == 2)
        #expect(try await Self.check(register, "assay.v1.Operations") == 1)
        source.release()
        _ = await question.value
        #expect(try await Self.check(register, "assay.v1.Devices") == 1)
        feed.look(at: .now + HealthFeed.patience + .seconds(1))
        #expect(try await Self.check(register, "assay.v1.Devices") == 1)
    }

    @Test("While it runs it asks again and again, and at its end nothing is serving for good")
    func running() async throws {
        let (source, register) = (Source(), HealthRegister())
        let feed = HealthFeed(register) { await source.readiness() }
        let task = Task { await feed.run() }
        try await eventually("the register is true") { try await Self.check(register, "") == 1 }
        try await eventually("it asks again") { source.asked > 1 }
        task.cancel()
        await task.value
        #expect(try await Self.check(register, "") == 2)
        register.setAll(true)
        #expect(try await Self.check(register, "") == 2)
    }
}
