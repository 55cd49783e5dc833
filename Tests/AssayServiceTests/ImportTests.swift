import AppAttest
import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Import")
struct ImportTests {
    private static let accepting = AppAttestPolicy(acceptImported: true)

    private func harness(_ policy: AppAttestPolicy = Self.accepting, ledger: WatchedLedger = WatchedLedger()) async throws
        -> ServiceHarness
    {
        try await ServiceHarness([try .testing(.camera, policy: policy), try .testing(.notes)], ledger: ledger)
    }

    private func device(
        _ handset: Handset, counter: UInt32 = 0, subject: [UInt8] = [],
        _ change: (inout Assay_V1_ImportedAppAttestKey) -> Void = { _ in }
    ) -> Assay_V1_ImportedDevice {
        .with {
            $0.subject = Data(subject)
            $0.appAttest.publicKey = Data(handset.key.publicKey)
            $0.appAttest.appID = Handset.appID
            $0.appAttest.environment = "production"
            $0.appAttest.counter = counter
            change(&$0.appAttest)
        }
    }

    private func bring(
        _ harness: ServiceHarness, _ devices: [Assay_V1_ImportedDevice], app: AppID = .camera
    ) async throws -> [Assay_V1_ImportDevicesResponse.Result] {
        let response: Assay_V1_ImportDevicesResponse = try await harness.call(
            API.importDevices,
            Assay_V1_ImportDevicesRequest.with { ($0.app, $0.devices) = (app.text, devices) })
        return response.results
    }

    @Test("makes a device whose assertions are judged as those of a registered one, and say that it was imported")
    func assertion() async throws {
        let harness = try await harness()
        var handset = Handset()
        let result = try #require(try await bring(harness, [device(handset, counter: 5, subject: [1])]).first)
        #expect(result.outcome == .added)
        let id = try #require(DeviceID(bytes: Array(result.deviceID)))
        let record = try #require(try await harness.ledger.device(id))
        #expect(record.registration.imported && !record.registration.simulated && record.registration.anchor.isEmpty)
        #expect(record.counter == 5 && record.subject?.count == 32 && record.message.imported)
        #expect(record.registration.claims["imported"] == .boolean(true))

        #expect(try await harness.assert(&handset, changes: .genuine.counter(5)).rejection == .counterNotIncreasing)
        let verdict = try await harness.assert(&handset, changes: .genuine.counter(6))
        #expect(verdict.isAccepted && verdict.assurance == .secureElement && Array(verdict.deviceID) == id.bytes)
        #expect(Claims(verdict.claims)["imported"] == .boolean(true))
        #expect(verdict.findings.contains { $0.check == "chain_anchor" && $0.code == "imported" && $0.outcome == .note })
        var registered = try await harness.enrol().handset
        let other = try await harness.assert(&registered)
        #expect(other.isAccepted && Claims(other.claims)["imported"] == nil, "one that was attested here is not")
    }

    @Test("leaves no counter below that of the import, not even under a window")
    func window() async throws {
        let harness = try await harness(AppAttestPolicy(counterRule: .window64, acceptImported: true))
        var handset = Handset()
        _ = try await bring(harness, [device(handset, counter: 50)])
        for counter in [1, 49, 50] as [UInt32] {
            #expect(try await harness.assert(&handset, changes: .genuine.counter(counter)).rejection == .counterNotIncreasing)
        }
        #expect(try await harness.assert(&handset, changes: .genuine.counter(51)).isAccepted)
    }

    @Test("is for apps that accept it, then and at each use")
    func notAccepted() async throws {
        let ledger = WatchedLedger()
        let strict = try await harness(AppAttestPolicy(), ledger: ledger)
        var handset = Handset()
        let error = await #expect(throws: RPCError.self) { try await bring(strict, [device(handset)]) }
        #expect(error?.code == .failedPrecondition && error?.reason == "imported_not_accepted")
        let lax = try await harness(ledger: ledger)
        #expect(try await bring(lax, [device(handset)]).map(\.outcome) == [.added])
        #expect(try await lax.assert(&handset).isAccepted)
        let verdict = try await strict.assert(&handset)
        #expect(verdict.rejection == .importedNotAccepted && verdict.check == "imported" && verdict.retry == .contactOperator)
    }

    @Test("tells what became of each device, and one's fault is not its neighbours'")
    func outcomes() async throws {
        let harness = try await harness()
        let (registered, blocked, fresh, last) = (try await harness.enrol().handset, Handset(), Handset(), Handset())
        _ = try await harness.ledger.block(
            .key(DeviceKey(app: .camera, keyID: blocked.key.keyID)), reason: "stolen", at: ServiceHarness.opening)
        let batch = [
            device(fresh), device(registered), device(blocked), device(Handset()) { $0.publicKey[10] ^= 1 },
            device(Handset()) { $0.publicKey = Data() }, device(Handset()) { $0.keyID = Data(count: 32) },
            device(Handset()) { $0.appID = "TEAMID1234.com.example.other" },
            device(Handset()) { $0.environment = "development" }, device(Handset()) { $0.environment = "sandbox" },
            device(fresh), device(fresh, counter: 9), device(fresh, subject: [1]),
            device(last) { $0.keyID = Data(last.key.keyID) },
        ]
        let results = try await bring(harness, batch)
        #expect(
            results.map(\.outcome) == [
                .added, .present, .refused, .refused, .refused, .refused, .refused, .refused, .refused, .present, .conflict,
                .conflict, .added,
            ])
        let reasons = results.filter { $0.outcome == .refused }.map(\.reason)
        #expect(
            reasons == [
                "device_blocked", "unsupported_key", "unsupported_key", "key_id_mismatch", "app_id_mismatch",
                "environment_mismatch", "environment_mismatch",
            ])
        #expect(results.allSatisfy { ($0.outcome == .refused) == $0.deviceID.isEmpty })
        #expect(results.allSatisfy { ($0.outcome == .refused) == !$0.detail.isEmpty })
        let again = try await bring(harness, batch)
        #expect(again.allSatisfy { $0.outcome != .added }, "the second time adds nothing")
        #expect(try await harness.ledger.status().devices == 3)
    }

    @Test("does not touch a device that was attested here")
    func registered() async throws {
        let harness = try await harness()
        let (handset, id) = try await harness.enrol()
        let before = try await harness.ledger.device(id)
        #expect(try await bring(harness, [device(handset)]).map(\.outcome) == [.present])
        #expect(try await harness.ledger.device(id) == before)
    }

    @Test("comes in batches of 1 to 200, within bounds")
    func bounds() async throws {
        let harness = try await harness()
        let good = device(Handset())
        #expect(try await bring(harness, Array(repeating: good, count: 200)).map(\.outcome).count { $0 == .added } == 1)
        let batches: [(String, [Assay_V1_ImportedDevice])] = [
            ("devices", []), ("devices", Array(repeating: good, count: 201)), ("devices.key", [good, .init()]),
            ("devices.subject", [.with { ($0.appAttest, $0.subject) = (good.appAttest, Data(count: 257)) }]),
        ]
        for (field, batch) in batches {
            let error = await #expect(throws: RPCError.self) { try await bring(harness, batch) }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix(field + " ") == true, "\(field)")
        }
    }

    @Test("of one key by many at once adds it once")
    func racers() async throws {
        let harness = try await harness()
        let one = device(Handset())
        let outcomes = try await race(64) { _ in try await bring(harness, [one]).map(\.outcome) }.flatMap(\.self)
        #expect(outcomes.count { $0 == .added } == 1 && outcomes.count { $0 == .present } == 63)
    }
}
