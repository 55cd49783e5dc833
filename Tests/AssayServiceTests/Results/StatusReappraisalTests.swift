import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCore
import AssayResults
import AssaySimulator
import AssayTesting
import Testing

@testable import AssayService

@Suite("Registered devices that are judged again, and their places in status lists", .timeLimit(.minutes(30)))
struct StatusReappraisalTests {
    /// A process that judges the devices of a ledger again.
    private struct Scene {
        let apps = AppDirectory.Slot()
        let reappraisal: Reappraisal

        init(_ ledger: WatchedLedger, _ profile: AppProfile, rate: Int = 100_000) {
            let clock = FixedClock(ServiceHarness.opening)
            apps.value = AppDirectory([profile])
            reappraisal = Reappraisal(
                ledger: ledger, hub: WatchHub(clock: clock), rule: ReappraisalRule(devicesPerSecond: rate), clock: clock,
                logger: ServiceHarness.logger, apps: { [apps] in apps.value })
        }

        /// Follows another state of the app, and steps until no pass is under way.
        func finish(_ profile: AppProfile? = nil) async {
            if let profile { apps.value = AppDirectory([profile]) }
            repeat { _ = await reappraisal.step() } while reappraisal.report.isRunning
        }
    }

    /// A ledger with devices of App Attest, each with a place.
    private func fleet(_ count: Int) async throws -> (ledger: WatchedLedger, devices: [DeviceID]) {
        let harness = try await ServiceHarness()
        let (_, first) = try await harness.enrol()
        let one = try #require(try await harness.ledger.device(first)).registration
        let more = (1..<max(count, 1)).map { _ in
            Device(
                id: .random(), app: .camera, subject: nil,
                registration: Registration(
                    format: one.format, keyID: SecureRandom.bytes(32), publicKey: one.publicKey, environment: one.environment,
                    anchor: one.anchor, claims: one.claims, chainSerials: [], receipt: [], simulated: true),
                registeredAt: ServiceHarness.opening)
        }
        let context = ChangeContext(.caller("test"), at: ServiceHarness.opening)
        _ = try await harness.ledger.add(imported: more, context)
        let devices = [first] + more.map(\.id)
        for device in devices { try await place(of: device, in: harness.ledger) }
        return (harness.ledger, devices)
    }

    private func place(of device: DeviceID, in ledger: WatchedLedger) async throws {
        _ = try await ledger.memory.statusPlace(of: device, for: [UInt8](repeating: 1, count: 32), until: .distantFuture)
    }

    /// How many places say each status.
    private func said(_ ledger: WatchedLedger) async throws -> [ResultStatusEntry.Status: Int] {
        try await ledger.memory.statusEntries(ofList: 0).reduce(into: [:]) { $0[$1.status, default: 0] += 1 }
    }

    /// The app under a policy by which the devices are good, or none is.
    private func profile(
        _ digest: UInt8, isGood: Bool = true, results: ResultComposer? = ResultIssuers.composer()
    ) throws -> AppProfile {
        try .testing(
            .camera,
            identities: [
                AppAttestIdentity(appID: Handset.appID, platform: .iOS, environments: isGood ? [.production] : [.development])
            ], policyDigest: [UInt8](repeating: digest, count: 32), results: results)
    }

    @Test("devices that fail are invalid, and valid again once they pass")
    func failing() async throws {
        let (ledger, devices) = try await fleet(250)
        let scene = Scene(ledger, try profile(1))
        await scene.finish()
        #expect(try await said(ledger) == [:] && scene.reappraisal.report.placed == 0)
        await scene.finish(try profile(2, isGood: false))
        #expect(try await said(ledger) == [.invalid: devices.count])
        #expect(scene.reappraisal.report.placed == 250)
        await scene.finish(try profile(3))
        #expect(try await said(ledger) == [:] && scene.reappraisal.report.placed == 500)
    }

    @Test("what a process said before a restart is taken back by the next one, for devices that are good since")
    func restart() async throws {
        let (ledger, devices) = try await fleet(150)
        await Scene(ledger, try profile(1, isGood: false)).finish()
        #expect(try await said(ledger) == [.invalid: devices.count])
        await Scene(ledger, try profile(2)).finish()
        #expect(try await said(ledger) == [:])
    }

    @Test("a page whose judgements cannot be written is judged again, and no device is left out")
    func failingLedger() async throws {
        let (ledger, devices) = try await fleet(250)
        let scene = Scene(ledger, try profile(1, isGood: false))
        _ = await scene.reappraisal.step()
        #expect(try await said(ledger) == [.invalid: Reappraisal.pageLimit])
        ledger.fail(.setInvalid, with: .unavailable("gone"))
        for _ in 0..<3 { #expect(await scene.reappraisal.step() == Reappraisal.period) }
        #expect(try await said(ledger) == [.invalid: Reappraisal.pageLimit] && scene.reappraisal.report.isRunning)
        ledger.fail(.setInvalid, with: nil)
        await scene.finish()
        #expect(try await said(ledger) == [.invalid: devices.count])
    }

    @Test("a process that is killed in the middle of a pass leaves nothing that the next one does not finish")
    func killed() async throws {
        let (ledger, devices) = try await fleet(250)
        let first = Scene(ledger, try profile(1, isGood: false))
        _ = await first.reappraisal.step()
        #expect(try await said(ledger) == [.invalid: Reappraisal.pageLimit])
        await Scene(ledger, try profile(1, isGood: false)).finish()
        #expect(try await said(ledger) == [.invalid: devices.count])
    }

    @Test("an app without results writes nothing, and one that has them from now on is judged for them")
    func withoutResults() async throws {
        let (ledger, devices) = try await fleet(3)
        let scene = Scene(ledger, try profile(1, isGood: false, results: nil))
        await scene.finish()
        #expect(ledger.asked(.setInvalid) == 0)
        await scene.finish(try profile(1, isGood: false))
        #expect(try await said(ledger) == [.invalid: devices.count])
    }

    @Test("a blocked device that fails stays invalid when its block is lifted")
    func blocked() async throws {
        let (ledger, devices) = try await fleet(2)
        let context = ChangeContext(.caller("test"), at: ServiceHarness.opening)
        _ = try await ledger.block(.device(devices[0]), context)
        let scene = Scene(ledger, try profile(1))
        await scene.finish()
        #expect(try await said(ledger) == [.suspended: 1])
        await scene.finish(try profile(2, isGood: false))
        _ = try await ledger.unblock(.device(devices[0]), context)
        #expect(try await said(ledger) == [.invalid: 2])
    }

    @Test("a revoked attestation key makes its device invalid, and a list that is missing takes nothing back")
    func revocationList() async throws {
        let board = RevocationBoard()
        board.revoke([])
        let harness = try await ServiceHarness.android(board: board)
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        let verdict = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        let device = try #require(DeviceID(bytes: Array(verdict.deviceID)))
        try await place(of: device, in: harness.ledger)
        func profile(_ digest: UInt8) throws -> AppProfile {
            try .android(
                board: board, policyDigest: [UInt8](repeating: digest, count: 32), results: ResultIssuers.composer())
        }
        let scene = Scene(harness.ledger, try profile(1))
        await scene.finish()
        #expect(try await said(harness.ledger) == [:])
        board.revoke([key.device.attestationSerial])
        await scene.finish(try profile(2))
        #expect(try await said(harness.ledger) == [.invalid: 1])
        board.set(.unavailable("too old"))
        await scene.finish()
        #expect(try await said(harness.ledger) == [.invalid: 1])
        board.revoke([])
        await scene.finish()
        #expect(try await said(harness.ledger) == [:])
    }
}
