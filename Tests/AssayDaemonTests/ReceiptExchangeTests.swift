import AssayAPI
import AssayClient
import AssayCore
import AssayDaemon
import AssaySimulator
import AssayTesting
import AssayVendors
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Receipt exchange of a daemon", .timeLimit(.minutes(30)))
struct ReceiptExchangeTests {
    /// The answer of Apple's service for any receipt of a key.
    private func newer(_ phone: TestPhone, risk: Int, changes: ReceiptChanges = .genuine) throws -> TestHTTPSAnswer {
        let receipt = try phone.key.receipt(
            .receipt, clientDataHash: [UInt8](repeating: 0, count: 32), riskMetric: risk, at: SystemClock().now(),
            changes: changes)
        return TestHTTPSAnswer(200, text: Base64.standard.encode(receipt) + "\n")
    }

    private func claim(_ name: String, _ claims: [Assay_V1_Claim]) -> Assay_V1_Claim? { claims.first { $0.name == name } }

    @Test("A new receipt's fields are kept with the device, and shown with every later assertion")
    func metric() async throws {
        let scene = try await AppleHome(receipt: "{mode: require, exchange: {}, max_risk_metric: 3}")
        try await scene.run { daemon, client in
            var phone = scene.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let before = try await phone.upload(client)
            #expect(claim("risk_metric", before.claims) == nil)
            #expect(before.findings.contains { $0.code == "risk_metric_unavailable" })

            scene.apple.answerNext(try newer(phone, risk: 7))
            await daemon.receipts.round()
            let asked = try #require(scene.apple.requests.first)
            #expect(asked.path == "/v1/attestationData" && asked.header("authorization")?.hasPrefix("ey") == true)

            let device = try await client.device(keyID: phone.key.keyID, app: phone.app)
            #expect(claim("risk_metric", device.claims)?.integer == 7)
            #expect(claim("risk_metric_time", device.claims) != nil)
            let after = try await phone.upload(client)
            #expect(after.outcome == "accepted")
            #expect(claim("risk_metric", after.claims)?.integer == 7)
            #expect(after.findings.contains { $0.code == "risk_metric_too_high" })

            let status = try await client.status().receipts
            #expect(status.exchanged == 1 && status.failed == 0 && status.problem.isEmpty)
            await daemon.receipts.round()
            #expect(scene.apple.requests.count == 1, "nothing is due for a week")
        }
    }

    @Test("A device with a high metric is refused if the app says so")
    func rejected() async throws {
        let scene = try await AppleHome(receipt: "{mode: require, exchange: {}, max_risk_metric: 3, high_risk: reject}")
        try await scene.run { daemon, client in
            var phone = scene.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            #expect(try await phone.upload(client).outcome == "accepted")
            scene.apple.answerNext(try newer(phone, risk: 4))
            await daemon.receipts.round()
            #expect(try await phone.upload(client).outcome == "risk_metric_too_high")
        }
    }

    /// A clock a year ahead expires every receipt, and an ended exchange is not resumed.
    @Test("A clock that leaps ahead for a while ends no receipt's exchange")
    func leap() async throws {
        let scene = try await AppleHome()
        let clock = FixedClock(SystemClock().now())
        try await scene.run(clock: clock) { daemon, client in
            let phone = scene.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            clock.advance(milliseconds: 365 * 86_400_000)
            await daemon.receipts.round()
            #expect(scene.apple.requests.isEmpty)
            #expect(try await client.status().receipts.ended == 0)
            clock.advance(milliseconds: -365 * 86_400_000)
            scene.apple.answerNext(try newer(phone, risk: 2))
            await daemon.receipts.round()
            let status = try await client.status().receipts
            #expect(status.exchanged == 1 && status.ended == 0 && status.problem.isEmpty)
        }
    }

    enum Fault: CaseIterable { case ofAnotherKey, tampered, ofAnotherKind, underAnotherRoot }

    @Test("Receipts that cannot be verified, or of another key or kind, are not kept", arguments: Fault.allCases)
    func notGenuine(_ fault: Fault) async throws {
        let scene = try await AppleHome()
        try await scene.run { daemon, client in
            let phone = scene.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let answer =
                switch fault {
                case .ofAnotherKey: try newer(scene.home.phone(), risk: 9)
                case .tampered: try newer(phone, risk: 9, changes: .genuine.bytes { $0[$0.count / 2] ^= 1 })
                case .ofAnotherKind:
                    TestHTTPSAnswer(
                        200,
                        text: Base64.standard.encode(
                            try phone.key.receipt(
                                .attest, clientDataHash: [UInt8](repeating: 0, count: 32), at: SystemClock().now())))
                case .underAnotherRoot: try newer(try TestHome().phone(), risk: 9)
                }
            scene.apple.answerNext(answer)
            await daemon.receipts.round()
            let status = try await client.status().receipts
            #expect(status.exchanged == 0 && status.failed == 1)
            #expect(status.problem.hasPrefix("a receipt that came in exchange is not good"))
            let device = try await client.device(keyID: phone.key.keyID, app: phone.app)
            #expect(claim("risk_metric", device.claims) == nil)
        }
    }

    @Test("Without configuration no service is asked")
    func off() async throws {
        let scene = try await AppleHome(receipt: "{mode: report}")
        try await scene.run { daemon, client in
            let verdict = try await scene.home.phone().register(client)
            #expect(verdict.outcome == "accepted")
            await daemon.receipts.round()
            #expect(scene.apple.connectionCount == 0)
        }
    }

    @Test("The exchange runs with the daemon's process, and the command line shows its state")
    func process() async throws {
        let scene = try await AppleHome()
        let daemon = try await TestDaemon(scene.home)
        let client = try await daemon.connect()
        let phone = scene.home.phone()
        #expect(try await phone.register(client).outcome == "accepted")
        let shown = try await Child.run("assay", ["status"], environment: ["ASSAY_SERVER": try daemon.address("tcp")])
        #expect(shown.out.contains("  receipts  "))
        await client.close()
        let ending = await daemon.stop()
        #expect(ending.status == 0, "\(ending)")
        try await scene.apple.stop()
    }
}
