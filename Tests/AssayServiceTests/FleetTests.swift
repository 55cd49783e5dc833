import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Provisioning of fleets")
struct FleetTests {
    private static let secrets = FleetSecrets(root: [UInt8](repeating: 0x0F, count: 32), app: .camera)

    static func harness(
        makesKeys: Bool = false, ledger: WatchedLedger = WatchedLedger(), authority: StandInAuthority = StandInAuthority(),
        observer: (any VerdictObserver)? = nil
    ) async throws -> ServiceHarness {
        let rule = FleetRule(
            manufacturer: "Example Cameras", validationEndpoint: "https://example.org/validate", makesKeys: makesKeys)
        return try await ServiceHarness(
            [.testing(.camera, fleet: Fleet(rule, secrets)), .testing(.notes)], ledger: ledger, authority: authority,
            observer: observer)
    }

    static func csr() -> Data {
        Data(StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation)))
    }

    func enrol(
        _ harness: ServiceHarness, serials: [String] = [], tokens: UInt32 = 0, family: String = ""
    ) async throws -> Assay_V1_AddEnrolmentsResponse {
        try await harness.call(
            API.addEnrolments,
            .with {
                $0.app = AppID.camera.text
                $0.serials = serials
                $0.tokens = tokens
                $0.deviceFamily = family
                if tokens > 0 { $0.expiresAtUnixMs = ServiceHarness.opening.adding(milliseconds: 86_400_000).unixMilliseconds }
            })
    }

    func provision(
        _ harness: ServiceHarness, _ serial: String, csr: Data = Self.csr(), secret: Data = Data(), token: String = "",
        key: String = "", family: String = "Model One"
    ) async throws -> Assay_V1_ProvisionDeviceResponse {
        try await harness.call(
            API.provisionDevice,
            .with {
                $0.app = AppID.camera.text
                $0.deviceSerial = serial
                $0.deviceFamily = family
                $0.deviceSecret = secret
                $0.csr = csr
                $0.enrolmentToken = token
                $0.idempotencyKey = Data(key.utf8)
            })
    }

    @Test("A device on the allow-list gets a certificate, three tables of 1000 keys, and a secret")
    func provisioned() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1"])
        let answer = try await provision(harness, "CAM-1")
        #expect(answer.rejection.reason == "" && !answer.deviceCertificate.isEmpty && answer.certificateChain.count == 1)
        #expect(answer.keyTables.map(\.keys.count) == [1000, 1000, 1000] && Set(answer.keyTableIndices).count == 3)
        #expect(answer.keyTableIndices.allSatisfy { $0 < 2500 } && answer.deviceSecret.count == 32)
        #expect(answer.devicePrivateKey.isEmpty && !answer.repeated)
        let statement = try #require(harness.authority.orders.first?.fleet)
        let table = try #require(UInt16(exactly: answer.keyTableIndices[0]))
        #expect(answer.keyTableIndices.contains(UInt32(statement.table)) && statement.serial == "CAM-1")
        let key = try #require(Self.secrets.tables.key(table: table, index: 42))
        let keyBytes = key.withUnsafeBytes { Data($0) }
        #expect(answer.keyTables[0].keys[42] == keyBytes)
        let sealing = try #require(Self.secrets.tables.key(table: statement.table, index: statement.keyIndex))
        #expect(SealedSecret.open(statement.sealedSecret, with: sealing) == Array(answer.deviceSecret))
        let device = try #require(DeviceID(bytes: Array(answer.deviceID)))
        let record = try #require(try await harness.ledger.device(device))
        #expect(record.registration.keyID == Self.secrets.keyID(ofSecret: Array(answer.deviceSecret), app: .camera))
        #expect(record.registration.claims["device_serial"] == .text("CAM-1"))
    }

    @Test("A serial number that is not on the list is refused, and one that was provisioned stays used")
    func serials() async throws {
        let harness = try await Self.harness()
        #expect(try await provision(harness, "CAM-2").rejection.reason == "not_enrolled")
        _ = try await enrol(harness, serials: ["CAM-2"])
        #expect(try await provision(harness, "CAM-2").rejection.reason == "")
        #expect(try await provision(harness, "CAM-2").rejection.reason == "already_provisioned")
        let again = try await enrol(harness, serials: ["CAM-2"])
        #expect(again.added == 0 && again.present == ["CAM-2"])
    }

    @Test("A refusal is counted, observed and recorded like a verdict; a provisioning and a repetition are counted")
    func followed() async throws {
        let observer = SeenVerdicts()
        let harness = try await Self.harness(observer: observer)
        #expect(try await provision(harness, "CAM-7").rejection.reason == "not_enrolled")
        _ = try await enrol(harness, serials: ["CAM-7"])
        let csr = Self.csr()
        for isRepeated in [false, true] {
            #expect(try await provision(harness, "CAM-7", csr: csr, key: "k").repeated == isRepeated)
        }
        let counts = harness.counters.counts
        #expect(counts.rejected == [.notEnrolled: 1] && counts.accepted == 1 && counts.repeated == 1)
        #expect(harness.counters.apps.first?.formats.map(\.format) == [EvidenceFormat.fleetDevice.rawValue])
        let seen = observer.seen.withLock { $0 }
        #expect(seen.map(\.rejection?.code) == ["not_enrolled"] && seen.first?.purpose == .provision)
        let recorded = try await harness.call(API.listVerdicts, .with { $0.app = AppID.camera.text })
        #expect(recorded.records.map(\.reason) == ["not_enrolled"])
        #expect(recorded.records.first.map { Array($0.requestID) } == seen.first?.requestID)
        harness.ledger.fail(with: .unavailable("no space"))
        await #expect(throws: RPCError.self) { _ = try await provision(harness, "CAM-8") }
        #expect(harness.counters.counts.unavailable == 1)
    }

    @Test("A token provisions one device of any serial number")
    func tokens() async throws {
        let harness = try await Self.harness()
        let token = try #require(try await enrol(harness, tokens: 1).tokens.first)
        #expect(try await provision(harness, "CAM-3", token: "enr_wrong").rejection.reason == "not_enrolled")
        #expect(try await provision(harness, "CAM-3", token: token).rejection.reason == "")
        #expect(try await provision(harness, "CAM-4", token: token).rejection.reason == "not_enrolled")
    }

    @Test("A token ends with its time")
    func expiry() async throws {
        let harness = try await Self.harness()
        let token = try #require(try await enrol(harness, tokens: 1).tokens.first)
        harness.clock.set(ServiceHarness.opening.adding(milliseconds: 86_400_000))
        #expect(try await provision(harness, "CAM-5", token: token).rejection.reason == "not_enrolled")
    }

    @Test("A permission for a serial number ends with its time, and the answer names the commands that make another")
    func ended() async throws {
        let harness = try await Self.harness()
        let end = ServiceHarness.opening.adding(milliseconds: 1000)
        func add() async throws -> UInt32 {
            try await harness.call(
                API.addEnrolments,
                .with {
                    ($0.app, $0.serials) = (AppID.camera.text, ["CAM-1"])
                    $0.expiresAtUnixMs = harness.clock.now().adding(milliseconds: 1000).unixMilliseconds
                }
            ).added
        }
        #expect(try await add() == 1)
        harness.clock.set(end)
        let late = try await provision(harness, "CAM-1").rejection
        #expect(late.reason == "not_enrolled" && late.detail.hasPrefix("the permission ended at \(end)"), "\(late.detail)")
        #expect(late.detail.contains("'assay enrol remove'") && late.detail.contains("'assay enrol add'"))
        // The commands do what the answer says.
        #expect(try await add() == 0)
        _ = try await harness.call(
            API.removeEnrolment, .with { ($0.app, $0.serial) = (AppID.camera.text, "CAM-1") })
        #expect(try await add() == 1)
        #expect(try await provision(harness, "CAM-1").rejection.reason == "")
    }

    @Test("A permission for a family provisions no device of another")
    func family() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-6"], family: "Model Two")
        #expect(try await provision(harness, "CAM-6").rejection.reason == "not_enrolled")
        #expect(try await provision(harness, "CAM-6", family: "Model Two").rejection.reason == "")
    }

    @Test("A secret is provisioned once")
    func secret() async throws {
        let harness = try await Self.harness()
        let secret = Data(SecureRandom.bytes(32))
        _ = try await enrol(harness, serials: ["CAM-7", "CAM-8"])
        #expect(try await provision(harness, "CAM-7", secret: secret).deviceSecret == secret)
        #expect(try await provision(harness, "CAM-8", secret: secret).rejection.reason == "already_provisioned")
    }

    @Test("The same request under the same key gets the same answer, and another one is refused")
    func idempotency() async throws {
        let harness = try await Self.harness()
        let csr = Self.csr()
        _ = try await enrol(harness, serials: ["CAM-9"])
        let first = try await provision(harness, "CAM-9", csr: csr, key: "k")
        var second = try await provision(harness, "CAM-9", csr: csr, key: "k")
        #expect(second.repeated)
        second.repeated = false
        #expect(first == second && harness.authority.orders.count == 1)
        #expect(try await provision(harness, "CAM-9", key: "k").rejection.reason == "idempotency_key_reused")
    }

    @Test("A private key is made only where the app allows it, and is never repeated")
    func legacy() async throws {
        let strict = try await Self.harness()
        _ = try await enrol(strict, serials: ["CAM-10"])
        #expect(try await provision(strict, "CAM-10", csr: Data()).rejection.reason == "possession_not_proven")
        let harness = try await Self.harness(makesKeys: true)
        _ = try await enrol(harness, serials: ["CAM-10"])
        let first = try await provision(harness, "CAM-10", csr: Data(), key: "k")
        let made = try P256.Signing.PrivateKey(derRepresentation: first.devicePrivateKey)
        let order = try #require(harness.authority.orders.first)
        #expect(Data(order.publicKey) == made.publicKey.derRepresentation)
        #expect(order.basis.protection == .generated)
        let second = try await provision(harness, "CAM-10", csr: Data(), key: "k")
        #expect(second.repeated && second.devicePrivateKey.isEmpty && second.deviceCertificate == first.deviceCertificate)
    }

    @Test("16 requests for one serial number race: exactly one is provisioned")
    func race() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-11"])
        let answers = try await AssayServiceTests.race(16) { _ in try await provision(harness, "CAM-11") }
        #expect(answers.count { $0.rejection.reason.isEmpty } == 1)
        #expect(answers.count { $0.rejection.reason == "already_provisioned" } == 15)
    }

    @Test("A serial number of 255 characters is taken; longer and empty ones, and white space at the ends, are refused")
    func lengths() async throws {
        let harness = try await Self.harness()
        let longest = String(repeating: "é", count: 255)
        _ = try await enrol(harness, serials: [longest])
        #expect(try await provision(harness, longest).rejection.reason == "")
        for serial in ["", longest + "x", "a\nb", " ", " a", "a ", "\u{3000}a", "a\u{85}", "\ta"] {
            for error in [
                await #expect(throws: RPCError.self) { try await provision(harness, serial) },
                await #expect(throws: RPCError.self) { try await enrol(harness, serials: ["ok", serial]) },
                await #expect(throws: RPCError.self) { try await readmit(harness, serial) },
            ] {
                #expect(error?.code == .invalidArgument, "\(serial)")
            }
        }
        #expect(try await enrol(harness, serials: ["ok", "a b"]).added == 2)
        let error = await #expect(throws: RPCError.self) { try await provision(harness, "x", secret: Data([1])) }
        #expect(error?.code == .invalidArgument)
    }

    @Test(
        "A serial number or family with a character that is not seen is refused, and the answer names it and its place",
        arguments: [
            ("CAM\u{200B}-1", "character 4 is U+200B ZERO WIDTH SPACE"),
            ("CAM-1\u{202E}", "character 6 is U+202E RIGHT-TO-LEFT OVERRIDE"),
            ("\u{E0001}C", "character 1 is U+E0001 LANGUAGE TAG"), ("a\u{2028}b", "character 2 is U+2028 LINE SEPARATOR"),
            ("a\u{2029}b", "character 2 is U+2029"), ("a\u{E000}", "character 2 is U+E000"),
            ("a\u{378}", "character 2 is U+0378"),
            ("a\u{FE0F}", "character 2 is U+FE0F"), ("a\u{3164}b", "character 2 is U+3164 HANGUL FILLER"),
            ("a\u{AD}b", "character 2 is U+00AD SOFT HYPHEN"), ("a\u{9B}b", "character 2 is U+009B"),
            ("a\u{0}", "character 2 is U+0000"),
            ("\u{FEFF}CAM", "character 1 is U+FEFF"), ("a\u{34F}", "character 2 is U+034F"),
            ("a\u{10FFFF}", "character 2 is U+10FFFF"),
        ])
    func invisible(_ serial: String, _ words: String) async throws {
        let harness = try await Self.harness()
        let added = await #expect(throws: RPCError.self) { try await enrol(harness, serials: ["ok", serial]) }
        #expect(added?.message.contains("serials[1]") == true && added?.message.contains(words) == true, "\(added as Any)")
        for error in [
            await #expect(throws: RPCError.self) { try await provision(harness, serial) },
            await #expect(throws: RPCError.self) { try await readmit(harness, serial) },
        ] { #expect(error?.code == .invalidArgument && error?.message.contains(words) == true, "\(error as Any)") }
        let family = await #expect(throws: RPCError.self) { try await provision(harness, "x", family: serial) }
        #expect(
            family?.message.contains("device_family") == true && family?.message.contains(words) == true, "\(family as Any)")
        // Not even half a list is taken.
        #expect(try await enrol(harness, serials: ["ok"]).added == 1)
    }

    @Test("While no CA signs, nothing is provisioned and the permission stays")
    func outage() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-12"])
        harness.authority.fail(with: .unavailable("the token is gone"))
        let error = await #expect(throws: RPCError.self) { try await provision(harness, "CAM-12") }
        #expect(error?.reason == "issuing_unavailable")
        harness.authority.fail(with: nil)
        #expect(try await provision(harness, "CAM-12").rejection.reason == "")
    }

    @Test("An app without a fleet provisions nothing")
    func noFleet() async throws {
        let harness = try await ServiceHarness()
        let error = await #expect(throws: RPCError.self) { try await provision(harness, "CAM-13") }
        #expect(error?.reason == "fleet_not_configured")
    }

    @Test("A permission that is unused can be removed, and listings show both states")
    func removal() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-14", "CAM-15"])
        _ = try await provision(harness, "CAM-14")
        func list(_ state: Assay_V1_Enrolment.State) async throws -> [String] {
            try await harness.call(
                API.listEnrolments,
                .with {
                    $0.app = AppID.camera.text
                    $0.state = state
                }
            ).enrolments.map(\.serial)
        }
        #expect(try await list(.used) == ["CAM-14"])
        #expect(try await list(.unused) == ["CAM-15"])
        for (serial, isFound) in [("CAM-15", true), ("CAM-15", false), ("CAM-14", false)] {
            let removal = Assay_V1_RemoveEnrolmentRequest.with {
                $0.app = AppID.camera.text
                $0.serial = serial
            }
            if isFound {
                _ = try await harness.call(API.removeEnrolment, removal)
            } else {
                await #expect(throws: RPCError.self) { try await harness.call(API.removeEnrolment, removal) }
            }
        }
        #expect(try await provision(harness, "CAM-15").rejection.reason == "not_enrolled")
        // One that an earlier version took.
        let spaced = Enrolment(app: .camera, permit: .serial(Array(" ".utf8)), createdAt: ServiceHarness.opening)
        _ = try await harness.ledger.add([spaced], ChangeContext(.start, at: ServiceHarness.opening))
        _ = try await harness.call(API.removeEnrolment, .with { ($0.app, $0.serial) = (AppID.camera.text, " ") })
        #expect(try await list(.unused).isEmpty)
    }

    @Test("The secrets of an answer are neither in the registry nor in the audit log")
    func secrecy() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-16"])
        let answer = try await provision(harness, "CAM-16", key: "k")
        let stored = try #require(try await harness.ledger.fleetDevice(serial: Array("CAM-16".utf8), app: .camera))
        let everything = "\(stored) \(harness.ledger.memory.auditChanges)"
        #expect(!everything.contains(Hex.encode(answer.deviceSecret)))
        #expect(!everything.contains("\(Array(answer.deviceSecret))"))
    }
}
