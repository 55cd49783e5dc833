import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssaySQLite

/// Opens a ledger that an earlier release wrote: `Ledgers/README.md` says which, and how the next one is added.
@Suite("Ledger of an earlier release")
struct EarlierLedgerTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// A copy of the fixture, so that the tests leave it as it is.
    private func open(schema version: Int = 1) throws -> SQLiteLedger {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Ledgers")
        try FileManager.default.copyItem(
            at: folder.appending(path: "schema-\(version).sqlite"), to: URL(filePath: directory.path()))
        return try SQLiteLedger.open(path: directory.path())
    }

    @Test("An earlier ledger's audit chain verifies up to its recorded head, and continues")
    func auditChain() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let head = AuditChain(number: 12, head: try #require(Hex.decode(EarlierLedger.auditHead)))
        #expect(try AuditWalk.fault(directory.path(), expecting: [ExpectedAuditHead(head)]) == nil)
        try await ledger.checkAuditEnd()
        #expect(try await ledger.status().auditEnd == head)
        let next = try Sample.entry(time: EarlierLedger.later)
        #expect(try await ledger.commit([next]) == [.committed])
        #expect(try await ledger.status().auditEnd == head.appending(next.audit.bytes, at: next.time))
    }

    @Test("An earlier ledger's devices are found by key and by id, with every field")
    func devices() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let device = try EarlierLedger.device()
        #expect(try await ledger.device(device.key) == device)
        #expect(try await ledger.device(device.id) == device)
        let listing = try await ledger.devices(DeviceListing(app: device.app, limit: 10))
        #expect(listing.devices.map(\.id) == [1, 2, 4].map { EarlierLedger.id($0) })
        #expect(try await ledger.status().devices == 3)
        let imported = try #require(try await ledger.device(EarlierLedger.id(4)))
        #expect(imported.registration.imported && imported.counter == 41)
        let queue = ReceiptQueue(app: device.app, environment: "production")
        let due = try await ledger.receipts(in: queue, dueAt: .distantFuture, limit: 10)
        #expect(due.devices.map(\.id) == [2, 4, 1].map { EarlierLedger.id($0) })
    }

    @Test("An earlier ledger's counters continue: an accepted value is refused, and the next one is accepted")
    func counters() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let device = try EarlierLedger.device()
        func outcome(_ counter: UInt32) async throws -> CommitOutcome? {
            try await ledger.commit([
                Sample.entry(time: EarlierLedger.later, advances: [Sample.advance(device, to: counter)])
            ]).first
        }
        #expect(try await outcome(9) == .refused(.counterNotIncreasing))
        #expect(try await outcome(10) == .committed)
    }

    @Test("An earlier ledger refuses its spent challenge and evidence, and tokens below its spent horizon")
    func spent() async throws {
        let ledger = try open()
        defer { ledger.close() }
        func outcome(_ spend: LedgerEntry.Spend) async throws -> CommitOutcome? {
            try await ledger.commit([Sample.entry(time: EarlierLedger.later, spends: [spend])]).first
        }
        #expect(try await outcome(EarlierLedger.challenge) == .refused(.challengeReused))
        #expect(try await outcome(EarlierLedger.evidence) == .refused(.challengeReused))
        let later = EarlierLedger.evidence.expiry.adding(milliseconds: 86_400_000)
        #expect(
            try await outcome(.init(token: EarlierLedger.evidence.token, expiry: later)) == .refused(.challengeReused))
        let horizon = try await ledger.status().spentHorizon
        #expect(horizon >= EarlierLedger.purged.expiry && horizon < EarlierLedger.challenge.expiry)
        #expect(try await outcome(EarlierLedger.purged) == .refused(.challengeExpired))
    }

    @Test("An earlier ledger's blocks are in force, including that of a forgotten device's key")
    func blocks() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let app = try #require(Sample.app)
        let page = try await ledger.blocks(BlockListing(app: app, limit: 10))
        let targets: [BlockTarget] = [
            .device(EarlierLedger.id(2)), .subject(EarlierLedger.bytes(0xB2, 32), of: app),
            .key(DeviceKey(app: app, keyID: EarlierLedger.bytes(3, 32))),
        ]
        #expect(page.blocks.map(\.target) == targets)
        #expect(page.blocks.map(\.reason) == ["stolen", "fraud", "lost"])
        #expect(try await ledger.isBlocked(subject: EarlierLedger.bytes(0xB2, 32), of: app))
        let blocked = try #require(try await ledger.device(EarlierLedger.id(2)))
        let advance = try Sample.entry(time: EarlierLedger.later, advances: [Sample.advance(blocked, to: 100)])
        let again = try Sample.entry(
            time: EarlierLedger.later, registrations: [EarlierLedger.device(3, id: EarlierLedger.id(9))])
        #expect(
            try await ledger.commit([advance, again]) == [.refused(.deviceBlocked), .refused(.deviceBlocked)])
    }

    @Test("An earlier ledger repeats its stored verdict, and keeps claims, secrets and clock memory")
    func kept() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let stored = try await ledger.verdict(idempotencyKey: EarlierLedger.bytes(0xD0, 32), now: EarlierLedger.later)
        #expect(stored == StoredVerdict(request: EarlierLedger.bytes(0xD1, 32), verdict: [1, 2, 3], objection: nil))
        let asked = LedgerEntry.Idempotency(
            key: EarlierLedger.bytes(0xD0, 32), request: EarlierLedger.bytes(0xD1, 32),
            expiry: EarlierLedger.verdictExpiry, verdict: [9], device: EarlierLedger.id(1))
        let repeated = try Sample.entry(time: EarlierLedger.later, idempotency: asked)
        #expect(try await ledger.commit([repeated]) == [.repeated(verdict: [1, 2, 3])])
        #expect(try await ledger.auditClaims(of: 3) == EarlierLedger.claims)
        #expect(Set(try await ledger.secrets()) == Set(EarlierLedger.secrets))
        #expect(try await ledger.clockMemory() == EarlierLedger.clock)
        #expect(try await ledger.isDeclaredNew())
    }

    @Test("An earlier ledger is migrated: its device gets a certificate, and its audit log was readable before")
    func certificates() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Ledgers")
        let path = directory.path()
        try FileManager.default.copyItem(at: folder.appending(path: "schema-1.sqlite"), to: URL(filePath: path))
        var records = 0
        try AuditFile.read(path) { page in
            records += page.rows.count
            return true
        }
        #expect(records == 12)
        #expect(try OtherConnection(path).text("PRAGMA user_version") == "1", "reading does not migrate")
        let ledger = try SQLiteLedger.open(path: path)
        defer { ledger.close() }
        #expect(try OtherConnection(path).text("PRAGMA user_version") == "\(Schema.migrations.count)")
        let certificate = try Sample.certificate(of: EarlierLedger.device())
        let entry = try Sample.entry(time: EarlierLedger.later, issues: certificate)
        #expect(try await ledger.commit([entry]) == [.committed])
        #expect(try await ledger.certificate(certificate.name) == certificate)
        let blocked = try Sample.entry(
            time: EarlierLedger.later, issues: Sample.certificate(of: EarlierLedger.device(2)))
        #expect(try await ledger.commit([blocked]) == [.refused(.deviceBlocked)])
    }

    @Test("A ledger of version 2 keeps its fleets, and readmits their devices")
    func fleets() async throws {
        let ledger = try open(schema: 2)
        defer { ledger.close() }
        let head = AuditChain(number: 18, head: try #require(Hex.decode(EarlierLedger.auditHead2)))
        #expect(try await ledger.status().auditEnd == head)
        let entries = try EarlierLedger.fleet(1...3)
        let app = try #require(entries.first?.record.app)
        for entry in entries {
            #expect(try await ledger.fleetDevice(serial: entry.record.serial, app: app) == entry.record)
            #expect(try await ledger.fleetDevice(idempotencyKey: entry.record.idempotency) == entry.record)
        }
        let listed = try await ledger.enrolments(EnrolmentListing(app: app, limit: 10)).enrolments
        #expect(listed.map(\.usedBy) == entries.map(\.device.id) && listed.allSatisfy { $0.replaces == nil })
        let context = ChangeContext(.caller("operator"), at: EarlierLedger.later, reason: "repaired")
        // The third was forgotten.
        for (old, new) in zip([entries[0], entries[2]], try [EarlierLedger.fleet(4), EarlierLedger.fleet(5)]) {
            let again = FleetEntry(
                device: new.device, certificate: new.certificate,
                record: FleetDevice(
                    app: app, serial: old.record.serial, device: new.device.id, secretHash: new.record.secretHash,
                    tables: [1, 2, 3], certificate: new.certificate.name, idempotency: [], request: [],
                    provisionedAt: EarlierLedger.later),
                family: "cam", token: nil, context: context)
            #expect(try await ledger.provision(again) == .refused(.alreadyProvisioned))
            let readmission = Readmission(app: app, serial: old.record.serial)
            let permission = Enrolment(readmission, replacing: old.device.id, at: context.time)
            #expect(try await ledger.readmit(readmission, context) == .readmitted(permission))
            #expect(try await ledger.provision(again) == .provisioned)
            #expect(try await ledger.device(old.device.id) == nil)
            #expect(try await ledger.certificate(old.certificate.name)?.revocation != nil)
            #expect(try await ledger.fleetDevice(serial: old.record.serial, app: app) == again.record)
        }
        #expect(try await ledger.device(entries[1].device.id) == entries[1].device)
        #expect(try OtherConnection(directory.path()).text("SELECT count(*) FROM pragma_foreign_key_check") == "0")
        #expect(try OtherConnection(directory.path()).text("PRAGMA integrity_check") == "ok")
    }

    @Test("A ledger of version 3 keeps its readmitted devices, and gets policies")
    func policies() async throws {
        let ledger = try open(schema: 3)
        defer { ledger.close() }
        let head = AuditChain(number: 22, head: try #require(Hex.decode(EarlierLedger.auditHead3)))
        #expect(try await ledger.status().auditEnd == head)
        let (old, new) = (try EarlierLedger.fleet(2), try EarlierLedger.fleet(6, serial: 2))
        #expect(try await ledger.fleetDevice(serial: [2], app: new.record.app) == new.record)
        #expect(try await ledger.device(old.device.id) == nil)
        #expect(try await ledger.certificate(old.certificate.name)?.revocation != nil)
        #expect(try await ledger.policies(PolicyListing(limit: 10)).rows.isEmpty)
        let policy = StoredPolicy(
            digest: EarlierLedger.bytes(0x0D, 32), app: new.record.app, text: "app = x\n", firstSeen: EarlierLedger.later)
        try await ledger.keep(policies: [policy])
        #expect(try await ledger.policies(beginning: EarlierLedger.bytes(0x0D, 4)) == [policy])
        #expect(try OtherConnection(directory.path()).text("PRAGMA integrity_check") == "ok")
    }

    @Test("The fixture of the present schema is written", .enabled(if: EarlierLedger.target != nil))
    func write() async throws { try await EarlierLedger.write(to: try #require(EarlierLedger.target)) }
}

/// The records of the fixture. All values are fixed, so that the tests can compare them.
private enum EarlierLedger {
    /// The path at which to write a fixture; `nil`: none is written.
    static var target: String? { ProcessInfo.processInfo.environment["ASSAY_WRITE_LEDGER"] }

    /// The head of the audit chain after its 12 records, as `write` printed it.
    static let auditHead = "433891b38fb3d7ae3019ab6362368445568697d854fb31a250d7fd03cd5c2864"
    /// The same after the 18 records of version 2.
    static let auditHead2 = "1d54c0c2f870760c53a5d62d873ab8847f71fd6ad9de6b3193a646e6c23705fb"

    /// The same after the 22 records of version 3.
    static let auditHead3 = "0d7a0fed0f5507f569265b74f5d8562fb1abb416d73dc3d45caa579a15553880"

    /// The time of the tests: an hour after the ledger was written.
    static let later = Sample.now.adding(milliseconds: 3_600_000)
    static let verdictExpiry = Sample.now.adding(milliseconds: 365 * 86_400_000)
    static let purged = LedgerEntry.Spend(
        token: bytes(0xC0, 16), expiry: Sample.now.adding(milliseconds: -86_400_000), expiryIsFixed: true)
    static let challenge = LedgerEntry.Spend(
        token: bytes(0xC1, 16), expiry: Sample.now.adding(milliseconds: 30 * 86_400_000), expiryIsFixed: true)
    static let evidence = LedgerEntry.Spend(
        token: bytes(0xC2, 16), expiry: Sample.now.adding(milliseconds: 40 * 86_400_000))
    static let claims = AuditClaims(salt: bytes(0xA5, 16), claims: [1, 2])
    static let secrets = [
        WrappedSecret(name: "challenge", number: 7, wrapped: bytes(0xE1, 40), createdAt: Sample.now),
        WrappedSecret(name: "subject", number: 0, wrapped: bytes(0xE2, 40), createdAt: Sample.now),
    ]
    static let clock = ClockMemory(believed: Sample.now, uptime: 1000, aheadSince: 900)

    static func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    static func id(_ number: UInt8) -> DeviceID {
        DeviceID(bytes: bytes(number, 16)) ?? .random()
    }

    /// The first device after all changes.
    static func device() throws -> Device {
        var device = try device(1)
        (device.counter, device.counterWindow, device.lastAcceptedAt) = (9, 0b10_0000_0001, Sample.now.adding(milliseconds: 3))
        device.exchange = exchange
        return device
    }

    static let exchange = ReceiptExchange(
        due: Sample.now.adding(milliseconds: 7 * 86_400_000), failures: 2, metric: RiskMetric(3, at: Sample.now))

    /// Device number `number` at its registration.
    static func device(
        _ number: UInt8, id: DeviceID? = nil, counter: UInt32 = 0, imported: Bool = false
    ) throws -> Device {
        var claims = Claims()
        claims.add("text", .text("naïve"))
        claims.add("integer", .integer(.min))
        return Device(
            id: id ?? Self.id(number), app: try #require(Sample.app), subject: bytes(0xB0 &+ number, 32),
            registration: Registration(
                format: .appAttestAttestation, keyID: bytes(number, 32), publicKey: bytes(number, 65),
                environment: "production", anchor: bytes(0xAA, 32), claims: claims, chainSerials: [[1], [2, 3]],
                attestationKey: bytes(0xAB, 32), receipt: bytes(number, 100), simulated: !imported, imported: imported),
            registeredAt: Sample.now, counter: counter)
    }

    private static func record(about device: DeviceID? = nil, claims: AuditClaims? = nil) throws -> AuditRecord {
        AuditRecord(
            requestID: bytes(0x0F, 16), caller: "uploads", app: try #require(Sample.app), purpose: .assert, device: device,
            assurance: .hardware, evidenceDigest: bytes(0x0E, 32), policyDigest: bytes(0x0D, 32), simulated: true,
            claimsDigest: claims?.digest ?? [])
    }

    static func fleet(_ numbers: ClosedRange<UInt8>) throws -> [FleetEntry] { try numbers.map { try fleet($0) } }

    /// The provisioning of a fleet's device number `number`, by its serial number.
    ///
    /// - Parameter serial: another serial number than the device's own.
    static func fleet(_ number: UInt8, serial: UInt8? = nil) throws -> FleetEntry {
        let app = try #require(Sample.app)
        let (key, now) = (bytes(0xF0 &+ number, 32), Sample.now)
        let device = Device(
            id: id(0xF0 &+ number), app: app, subject: nil,
            registration: Registration(
                format: .fleetDevice, keyID: key, publicKey: bytes(number, 91), environment: "fleet", anchor: [],
                claims: Claims(), chainSerials: [bytes(number, 16)], receipt: [], simulated: false), registeredAt: now)
        let certificate = DeviceCertificate(
            name: CertificateName(issuer: bytes(0xCA, 32), serial: bytes(number, 16)), app: app, device: device.id,
            keyID: bytes(0xE0 &+ number, 32), notBefore: now, notAfter: now.adding(milliseconds: 365 * 86_400_000),
            issuedAt: now,
            basis: CertificateBasis(
                assurance: .software, protection: .provisioned, platform: .fleetDevice, policyDigest: bytes(0x0D, 32),
                simulated: false), der: bytes(number, 900))
        let record = FleetDevice(
            app: app, serial: [serial ?? number], device: device.id, secretHash: key, tables: [0, 258, 2499],
            certificate: certificate.name, idempotency: bytes(0xD0 &+ number, 32), request: bytes(0xD1, 32),
            provisionedAt: now)
        return FleetEntry(
            device: device, certificate: certificate, record: record, family: "cam", token: nil,
            context: ChangeContext(.caller("factory"), at: now))
    }

    static func write(to path: String) async throws {
        let ledger = try SQLiteLedger.open(path: path)
        defer { ledger.close() }
        func commit(_ entry: LedgerEntry) async throws { try #require(try await ledger.commit([entry]) == [.committed]) }
        func context(_ reason: String) -> ChangeContext {
            ChangeContext(.caller("operator"), at: Sample.now, reason: reason)
        }
        try await ledger.declareNew()
        for secret in secrets { _ = try await ledger.add(secret) }
        try await ledger.record(.configurationLoad(bytes(0x0C, 32), version: "0", by: .start), at: Sample.now)
        // Records 2 to 6: verdicts.
        let devices = try [1, 2, 3].map { try device($0) }
        try await commit(
            LedgerEntry(
                time: Sample.now, spends: [purged], registrations: devices, audit: try record(about: id(1))))
        try await commit(
            LedgerEntry(
                time: Sample.now, spends: [challenge],
                advances: [.init(device: id(1), counter: 9, rule: .strictlyIncreasing)],
                idempotency: .init(
                    key: bytes(0xD0, 32), request: bytes(0xD1, 32), expiry: verdictExpiry, verdict: [1, 2, 3], device: id(1)),
                audit: try record(about: id(1), claims: claims), auditClaims: claims))
        try await commit(
            LedgerEntry(
                time: Sample.now.adding(milliseconds: 1), spends: [evidence], audit: try record(about: id(1))))
        try await commit(
            LedgerEntry(
                time: Sample.now.adding(milliseconds: 2), spends: [],
                advances: [.init(device: id(2), counter: 5, rule: .window64)], audit: try record(about: id(2))))
        try await commit(
            LedgerEntry(
                time: Sample.now.adding(milliseconds: 3), spends: [], audit: try record(about: id(1))))
        // Records 7 to 12: changes.
        _ = try await ledger.block(.device(id(2)), context("stolen"))
        _ = try await ledger.block(.device(id(3)), context("lost"))
        _ = try await ledger.block(.subject(bytes(0xB2, 32), of: try #require(Sample.app)), context("fraud"))
        _ = try await ledger.forget(id(3), context("asked for"))
        _ = try await ledger.add(imported: [device(4, counter: 41, imported: true)], context("moved"))
        try await ledger.record(.listLoad("google", text: [1], entries: 1, isForced: false, by: .signal), at: Sample.now)
        try await ledger.keep([ReceiptOutcome(device: id(1), exchange: exchange)])
        try await ledger.keep(clock)
        try await ledger.purge(now: Sample.now)
        // Fleets, since version 2: the last of the devices is forgotten.
        _ = try await ledger.add(fleet(1...3).map(\.enrolment), context("batch 7"))
        for entry in try fleet(1...3) { try #require(try await ledger.provision(entry) == .provisioned) }
        _ = try await ledger.forget(fleet(3).device.id, context("asked for"))
        // Readmissions, since version 3: the second serial number gets another device.
        _ = try await ledger.readmit(Readmission(app: fleet(2).record.app, serial: [2]), context("repaired"))
        try #require(try await ledger.provision(fleet(6, serial: 2)) == .provisioned)
        // Signed results, since version 5: two keys, the places of a good, a failed and a forgotten device, and a verdict by payload.
        let issuers: [ResultPublicKey.Issuer] = [.devices, .simulatedDevices]
        _ = try await ledger.publish(
            issuers.map { ResultPublicKey(identifier: bytes(0xE0 + $0.rawValue, 32), issuer: $0, publicKey: [$0.rawValue]) },
            context("new"))
        _ = try await ledger.statusPlaces(
            [1, 4, 3].map { ResultStatusRequest(device: id($0), audience: bytes(0xA0, 32), until: verdictExpiry) })
        _ = try await ledger.setInvalid(true, id(4))
        try await commit(
            LedgerEntry(
                time: Sample.now.adding(milliseconds: 4), spends: [], audit: try record(about: id(1)),
                lookups: [
                    IndexedVerdict(
                        key: bytes(0xF0, 32), device: id(1), time: Sample.now, until: verdictExpiry, content: [1, 2])
                ]))
        print("audit head \(ExpectedAuditHead(try await ledger.status().auditEnd))")
    }
}

extension FleetEntry {
    /// The permission for its serial number.
    fileprivate var enrolment: Enrolment {
        Enrolment(app: record.app, permit: .serial(record.serial), createdAt: context.time)
    }
}
