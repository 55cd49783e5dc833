import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Registered devices that are judged again", .timeLimit(.minutes(30)))
struct ReappraisalTests {
    /// A pass over the devices of a ledger, under apps that a test exchanges.
    private struct Scene {
        let apps = AppDirectory.Slot()
        let hub: WatchHub
        let reappraisal: Reappraisal
        let events: WatchSubscription

        init(_ ledger: WatchedLedger, _ profile: AppProfile, rate: Int = 100_000) throws {
            let clock = FixedClock(ServiceHarness.opening)
            hub = WatchHub(clock: clock)
            apps.value = AppDirectory([profile])
            reappraisal = Reappraisal(
                ledger: ledger, hub: hub, rule: ReappraisalRule(devicesPerSecond: rate), clock: clock,
                logger: ServiceHarness.logger, apps: { [apps] in apps.value })
            events = try #require(hub.subscribe(as: "watcher")).subscription
        }

        /// Steps until no pass is under way, and returns the devices and codes of the events.
        func finish() async -> [(device: DeviceID, code: String)] {
            repeat { _ = await reappraisal.step() } while reappraisal.report.isRunning
            return told()
        }

        func told() -> [(device: DeviceID, code: String)] {
            guard case .events(let events)? = events.nextNow(limit: 100_000) else { return [] }
            return events.compactMap { numbered in
                guard let device = numbered.event.device, let code = numbered.event.code else { return nil }
                return (device, code)
            }
        }
    }

    private static func list(
        _ id: String, _ serials: [[UInt8]], _ status: RevocationSnapshot.Status = .revoked
    ) -> RevocationKnowledge {
        .snapshot(
            RevocationSnapshot(
                feed: FeedVersion(name: "test-list", id: id, asOf: ServiceHarness.opening),
                entries: Dictionary(serials.map { ($0, .init(status)) }, uniquingKeysWith: { first, _ in first })))
    }

    private func registered(_ harness: ServiceHarness) async throws -> (AndroidKey, DeviceID) {
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        let verdict = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        return (key, try #require(DeviceID(bytes: Array(verdict.deviceID)), "\(verdict.reason)"))
    }

    /// The registration of a handset under other keys: devices without number.
    private func copies(_ count: Int, of registration: Registration) -> [Device] {
        (0..<count).map { _ in
            Device(
                id: .random(), app: .camera, subject: nil,
                registration: Registration(
                    format: registration.format, keyID: SecureRandom.bytes(32), publicKey: registration.publicKey,
                    environment: registration.environment, anchor: registration.anchor, claims: registration.claims,
                    chainSerials: [], receipt: [], simulated: true),
                registeredAt: ServiceHarness.opening)
        }
    }

    /// A ledger with devices of App Attest.
    private func fleet(_ count: Int) async throws -> (ledger: WatchedLedger, devices: [DeviceID]) {
        let harness = try await ServiceHarness()
        let (_, first) = try await harness.enrol()
        let one = try #require(try await harness.ledger.device(first))
        let more = copies(count - 1, of: one.registration)
        _ = try await harness.ledger.add(
            imported: more, ChangeContext(.caller("test"), at: ServiceHarness.opening))
        return (harness.ledger, [first] + more.map(\.id))
    }

    private func profile(_ digest: UInt8, production: Bool = true) throws -> AppProfile {
        try .testing(
            .camera,
            identities: [
                AppAttestIdentity(
                    appID: Handset.appID, platform: .iOS, environments: production ? [.production] : [.development])
            ], policyDigest: [UInt8](repeating: digest, count: 32))
    }

    @Test("a revoked certificate of a new list is told of without an upload, once, and again after it was lifted")
    func revoked() async throws {
        let board = RevocationBoard()
        board.set(Self.list("1", []))
        let harness = try await ServiceHarness.android(board: board)
        let (key, device) = try await registered(harness)
        let (_, other) = try await registered(harness)
        let scene = try Scene(harness.ledger, try .android(board: board))
        #expect(await scene.finish().isEmpty, "both are good")
        board.set(Self.list("2", [key.device.attestationSerial]))
        let told = await scene.finish()
        #expect(told.map(\.device) == [device] && told.map(\.code) == ["revoked"], "\(told)")
        let verdict = try await harness.verify(try key.upload(try await harness.challenge(.assert)))
        #expect(verdict.reason == told.first?.code, "the next upload is refused for the same reason")
        #expect(scene.reappraisal.report.noLongerGood == 1)
        board.set(Self.list("3", [key.device.attestationSerial, [9, 9]]))
        #expect(await scene.finish().isEmpty, "another pass does not tell it again")
        board.set(Self.list("4", []))
        #expect(await scene.finish().isEmpty && scene.reappraisal.report.noLongerGood == 0)
        board.set(Self.list("5", [key.device.attestationSerial]))
        #expect(await scene.finish().map(\.device) == [device])
        #expect(other != device)
    }

    @Test("a raised minimum is told of, with the sentence of a rejection")
    func policy() async throws {
        let board = RevocationBoard()
        board.set(Self.list("1", []))
        let harness = try await ServiceHarness.android(board: board)
        let (key, device) = try await registered(harness)
        let scene = try Scene(harness.ledger, try .android(board: board))
        #expect(await scene.finish().isEmpty)
        var strict = AndroidPolicy.testing
        strict.minimumLevel = .strongBox
        scene.apps.value = AppDirectory([try .android(strict, board: board, policyDigest: [UInt8](repeating: 2, count: 32))])
        let told = await scene.finish()
        let now = try await ServiceHarness([try .android(strict, board: board)], ledger: harness.ledger)
        let verdict = try await now.verify(try key.upload(try await now.challenge(.assert)))
        #expect(told.map(\.device) == [device] && told.first?.code == verdict.reason)
    }

    @Test("a list that is missing says nothing of a device")
    func missing() async throws {
        let board = RevocationBoard()
        board.set(Self.list("1", []))
        let harness = try await ServiceHarness.android(board: board)
        _ = try await registered(harness)
        let scene = try Scene(harness.ledger, try .android(board: board))
        #expect(await scene.finish().isEmpty)
        board.set(.unavailable("too old"))
        #expect(await scene.finish().isEmpty)
    }

    @Test("a device that was told of is not good, and not told of again, because the list was missing meanwhile")
    func missingMeanwhile() async throws {
        let board = RevocationBoard()
        board.set(Self.list("1", []))
        let harness = try await ServiceHarness.android(board: board)
        let (key, device) = try await registered(harness)
        let scene = try Scene(harness.ledger, try .android(board: board))
        let revoking = Self.list("2", [key.device.attestationSerial])
        board.set(revoking)
        #expect(await scene.finish().map(\.device) == [device])
        for state in [RevocationKnowledge.unavailable("too old"), revoking] {
            board.set(state)
            #expect(await scene.finish().isEmpty)
            #expect(scene.reappraisal.report.noLongerGood == 1)
        }
        board.set(Self.list("3", []))
        #expect(await scene.finish().isEmpty && scene.reappraisal.report.noLongerGood == 0)
    }

    @Test("the registry says of each device what its next evidence would be refused for today")
    func shown() async throws {
        let board = RevocationBoard()
        board.set(Self.list("1", []))
        let harness = try await ServiceHarness.android(board: board)
        let (key, device) = try await registered(harness)
        let (_, other) = try await registered(harness)
        func shown(_ id: DeviceID) async throws -> Assay_V1_Device {
            try await harness.call(API.getDevice, .with { ($0.app, $0.deviceID) = ("camera", Data(id.bytes)) })
        }
        #expect(try await !shown(device).hasNoLongerGood)
        board.set(Self.list("2", [key.device.attestationSerial]))
        let finding = try await shown(device).noLongerGood
        let verdict = try await harness.verify(try key.upload(try await harness.challenge(.assert)))
        #expect(finding.code == "revoked" && finding.code == verdict.reason && finding.check == verdict.check)
        #expect(!finding.detail.isEmpty)
        let listed: Assay_V1_ListDevicesResponse = try await harness.call(API.listDevices, .with { $0.app = "camera" })
        #expect(listed.devices.map(\.hasNoLongerGood) == [true, false])
        #expect(try await !shown(other).hasNoLongerGood)
        _ = try await harness.ledger.block(.device(device), reason: "stolen", at: ServiceHarness.opening)
        #expect(try await !shown(device).hasNoLongerGood, "a block is shown as such")
    }

    @Test("what the next evidence may say itself is not told of")
    func evidence() async throws {
        let (ledger, devices) = try await fleet(1)
        let scene = try Scene(
            ledger,
            try .testing(.camera, policy: AppAttestPolicy(allowedBundleVersions: [.init("99")], requireExtensions: true)))
        #expect(await scene.finish().isEmpty && devices.count == 1)
    }

    @Test("a thousand devices are judged page by page, at the configured rate")
    func rate() async throws {
        let (ledger, devices) = try await fleet(1000)
        let scene = try Scene(ledger, try profile(1), rate: 500)
        var (milliseconds, steps): (Int64, Int) = (0, 0)
        repeat {
            milliseconds += await scene.reappraisal.step()
            steps += 1
        } while scene.reappraisal.report.isRunning
        #expect(scene.reappraisal.report.judged == UInt64(devices.count))
        #expect(milliseconds >= 2000 && steps >= 10, "\(milliseconds) ms in \(steps) steps")
        #expect(scene.told().isEmpty)
    }

    @Test("a change during a pass leaves no device judged by the state before, and none is told of twice")
    func secondChange() async throws {
        let (ledger, devices) = try await fleet(350)
        let scene = try Scene(ledger, try profile(1))
        _ = await scene.reappraisal.step()
        _ = await scene.reappraisal.step()
        #expect(scene.reappraisal.report.judged == 200 && scene.told().isEmpty)
        scene.apps.value = AppDirectory([try profile(2, production: false)])
        let told = await scene.finish()
        #expect(told.count == devices.count && Set(told.map(\.device)) == Set(devices))
        let codes = Set(told.map(\.code))
        #expect(codes == ["environment_mismatch"])
        #expect(scene.reappraisal.report.judged < 200 + 2 * 350, "the pass goes on from its place")
        scene.apps.value = AppDirectory([try profile(3, production: false)])
        #expect(await scene.finish().isEmpty)
    }

    @Test("a device that is forgotten during a pass is not told of, and not counted any more")
    func forgotten() async throws {
        let (ledger, devices) = try await fleet(150)
        let scene = try Scene(ledger, try profile(1, production: false))
        _ = await scene.reappraisal.step()
        let last = try #require(devices.last)
        _ = try await ledger.forget(last, ChangeContext(.caller("test"), at: ServiceHarness.opening))
        let told = await scene.finish()
        #expect(!told.contains { $0.device == last } && told.count == 149)
        let first = try #require(devices.first)
        _ = try await ledger.forget(first, ChangeContext(.caller("test"), at: ServiceHarness.opening))
        scene.apps.value = AppDirectory([try profile(2, production: false)])
        #expect(await scene.finish().isEmpty)
        #expect(scene.reappraisal.report.noLongerGood == 148)
    }

    @Test("a blocked device is not told of: its block was")
    func blocked() async throws {
        let (ledger, devices) = try await fleet(2)
        let one = try #require(devices.first)
        _ = try await ledger.block(.device(one), reason: "stolen", at: ServiceHarness.opening)
        let scene = try Scene(ledger, try profile(1, production: false))
        #expect(await scene.finish().map(\.device) == [try #require(devices.last)])
    }

    @Test("devices that rest on a test root are told of when the app stops accepting simulated ones")
    func simulated() async throws {
        let (ledger, devices) = try await fleet(1)
        let scene = try Scene(ledger, try .testing(.camera, acceptsSimulated: false))
        let told = await scene.finish()
        #expect(told.map(\.device) == devices && told.map(\.code) == ["simulated_not_accepted"])
    }

    @Test("a rate of 0 judges nothing, and a ledger that cannot be read is tried again")
    func off() async throws {
        let (ledger, _) = try await fleet(1)
        let scene = try Scene(ledger, try profile(1, production: false), rate: 0)
        _ = await scene.reappraisal.step()
        #expect(!scene.reappraisal.report.isRunning && scene.reappraisal.report.judged == 0)
        scene.reappraisal.use(ReappraisalRule(devicesPerSecond: 1000))
        #expect(await scene.finish().count == 1)
    }
}
