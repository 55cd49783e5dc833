import AssayAPI
import AssayClient
import AssayCore
import AssayDaemon
import AssayOperations
import AssayRPC
import AssayService
import AssayTesting
import SwiftProtobuf
import Testing

@testable import DaemonTesting

@Suite("Readiness", .timeLimit(.minutes(30)))
struct ReadinessTests {
    /// A status with one item of attention.
    private static func status(_ code: AttentionCode, app: String = "") -> Assay_V1_StatusResponse {
        .with { $0.attention = [.with { ($0.code, $0.message, $0.app) = (code.rawValue, "why", app) }] }
    }

    @Test(
        "A condition without which the daemon cannot work makes it unready, by its code",
        arguments: [
            AttentionCode.storeUnavailable, .storeDamaged, .storeReplaced, .noChallenges, .evidenceMemoryFull, .feedMissing,
            .feedOutdated,
        ])
    func causes(_ code: AttentionCode) {
        let readiness = Readiness(Self.status(code, app: "camera"), .serving)
        #expect(!readiness.isReady && readiness.others.isEmpty)
        #expect(readiness.causes == [Readiness.Cause(code: code.rawValue, message: "why", app: "camera")])
    }

    @Test(
        "A condition that leaves other work possible is attention, and the daemon stays ready",
        arguments: [
            AttentionCode.diskLow, .reloadRefused, .appUnavailable, .feedNotRefreshed, .certificateExpiresSoon,
            .issuingUnavailable, .authorityExpiresSoon, .revocationListNotRefreshed, .pluginQuarantine, .pluginNotReady,
            .certificateExpired,
        ])
    func others(_ code: AttentionCode) {
        let readiness = Readiness(Self.status(code), .serving)
        #expect(readiness.isReady && readiness.others.map(\.code) == [code.rawValue])
    }

    @Test("A daemon that has not started or that stops is unready")
    func phases() {
        #expect(Readiness(Assay_V1_StatusResponse(), .serving).isReady)
        #expect(Readiness(Assay_V1_StatusResponse(), .notStarted).causes.map(\.code) == ["starting"])
        #expect(Readiness(Assay_V1_StatusResponse(), .stopping).causes.map(\.code) == ["stopping"])
    }

    @Test("A required plugin that is not ready makes the daemon unready; another one does not")
    func plugins() {
        func readiness(required: Bool, _ state: Assay_V1_Plugin.State, health: String = "") -> Readiness {
            let plugin = Assay_V1_Plugin.with {
                ($0.id, $0.required, $0.state, $0.health) = ("meter", required, state, health)
            }
            return Readiness(.with { $0.plugins = [plugin] }, .serving)
        }
        #expect(readiness(required: true, .ready).isReady && readiness(required: false, .broken).isReady)
        for state in [Assay_V1_Plugin.State.starting, .waiting, .broken, .refused, .disabled, .stopped] {
            #expect(readiness(required: true, state).causes.map(\.code) == ["plugin_not_ready"])
        }
        let ill = readiness(required: true, .ready, health: "no licence")
        #expect(ill.causes.first?.message == "the required plugin meter is not ready: no licence")
    }

    @Test("The daemon is unready when its certificate or the last CA of its callers has ended, not when one of several has")
    func certificates() {
        func readiness(_ ends: [(use: Assay_V1_StatusResponse.Certificate.Use, at: Int64)]) -> Readiness {
            let certificates = ends.map { end in
                Assay_V1_StatusResponse.Certificate.with { ($0.use, $0.notAfterUnixMs, $0.file) = (end.use, end.at, "x.pem") }
            }
            return Readiness(.with { ($0.nowUnixMs, $0.certificates) = (1000, certificates) }, .serving)
        }
        #expect(readiness([(.server, 2000), (.callerCa, 2000), (.callerCa, 500)]).isReady)
        #expect(readiness([(.server, 999), (.callerCa, 2000)]).causes.map(\.code) == ["certificate_expired"])
        #expect(readiness([(.server, 2000), (.callerCa, 999), (.callerCa, 500)]).causes.map(\.code) == ["certificate_expired"])
    }

    @Test("A ledger that takes no entries makes a daemon unready, until it does again")
    func store() async throws {
        let operations = try await OperationsHome()
        #expect(await operations.daemon.observation.readiness.isReady)
        operations.ledger.fail(with: .unavailable("disk full"))
        #expect(await operations.daemon.observation.readiness.causes.map(\.code) == ["store_unavailable"])
        operations.ledger.fail(with: .corrupt("page 7"))
        #expect(await operations.daemon.observation.readiness.causes.map(\.code) == ["store_damaged"])
        operations.ledger.fail(with: nil)
        #expect(await operations.daemon.observation.readiness.isReady)
        await operations.end()
    }

    @Test("A daemon that stops says so, and answers its probes until the end")
    func stopping() async throws {
        let operations = try await OperationsHome()
        await operations.client.close()
        await operations.daemon.server.stop()
        #expect(await operations.daemon.observation.readiness.causes.map(\.code) == ["stopping"])
        let answer = try await Curl.get(operations.url + "/readyz")
        #expect(answer.status == 503)
        #expect(try await Curl.get(operations.url + "/livez").status == 200)
        await operations.end()
    }

    @Test("A writer that has been at one transaction for more than a minute is not alive")
    func stuckWriter() {
        #expect(Liveness(writerBusySeconds: 61).problem == "the ledger's writer has been at one transaction for 61 s")
        #expect(Liveness(writerBusySeconds: 59).problem == nil && Liveness(writerBusySeconds: 0).problem == nil)
    }
}
