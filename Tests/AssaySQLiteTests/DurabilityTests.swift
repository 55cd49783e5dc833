import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Durability")
struct DurabilityTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test("Every connection uses the write-ahead log and synchronous=FULL")
    func settings() throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        // Writer, readers and checkpointer get their connections like this.
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        #expect(try connection.integer("PRAGMA synchronous") == 2)
        #expect(try connection.text("PRAGMA journal_mode") == "wal")
        #expect(try connection.integer("PRAGMA foreign_keys") == 1)
        #expect(try connection.integer("PRAGMA wal_autocheckpoint") == 0)
        #expect(try connection.integer("PRAGMA auto_vacuum") == 0)
        #expect(try connection.integer("PRAGMA application_id") == Schema.applicationID)
    }

    @Test("The write-ahead log is synced between each request and its accepted reply")
    func syncPerCommit() async throws {
        let vfs = try FaultVFS()
        var options = LedgerOptions()
        options.vfs = vfs.name
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        for _ in 0..<20 {
            let before = vfs.walSyncs
            #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
            #expect(vfs.walSyncs > before)
        }
        let before = vfs.walSyncs
        _ = try await ledger.add(WrappedSecret(name: "n", number: 1, wrapped: [1], createdAt: Sample.now))
        #expect(vfs.walSyncs > before)
    }

    @Test("The write-ahead log is synced between each change of certificates and fleets and its reply")
    func syncPerCertificateChange() async throws {
        let vfs = try FaultVFS()
        var options = LedgerOptions()
        options.vfs = vfs.name
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        let (device, fleetDevice) = (try Sample.device(), try Sample.device())
        let (certificate, context) = (Sample.certificate(of: device), ChangeContext(.start, at: Sample.now))
        let enrolments = [[1], [2]].map { Enrolment(app: device.app, permit: .serial($0), createdAt: Sample.now) }
        let fleet = Sample.certificate(of: fleetDevice)
        let entry = FleetEntry(
            device: fleetDevice, certificate: fleet,
            record: FleetDevice(
                app: device.app, serial: [1], device: fleetDevice.id, secretHash: fleetDevice.registration.keyID,
                tables: [1, 2, 3], certificate: fleet.name, idempotency: [], request: [], provisionedAt: Sample.now),
            family: "", token: nil, context: context)
        let list = StoredRevocationList(
            issuer: [1], number: 1, thisUpdate: Sample.now, nextUpdate: Sample.expiry, revocationCount: 0, der: [1])
        let changes: [(String, () async throws -> Bool)] = [
            ("a registration", { try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed] }),
            ("a certificate", { try await ledger.commit([Sample.entry(issues: certificate)]) == [.committed] }),
            ("a revocation", { try await ledger.revoke(certificate.name, .superseded, context)?.wasRevoked == false }),
            ("a revocation list", { try await ledger.keep(list) }),
            ("permissions", { try await ledger.add(enrolments, context) == [true, true] }),
            ("a removed permission", { try await ledger.removeEnrolment(.serial([2]), of: device.app, context) }),
            ("a fleet's device", { try await ledger.provision(entry) == .provisioned }),
            (
                "a readmission",
                {
                    try await ledger.readmit(Readmission(app: device.app, serial: [1]), context)
                        == .readmitted(
                            Enrolment(
                                Readmission(app: device.app, serial: [1]), replacing: fleetDevice.id, at: context.time))
                }
            ),
        ]
        for (what, change) in changes {
            let before = vfs.walSyncs
            #expect(try await change(), "\(what)")
            #expect(vfs.walSyncs > before, "\(what)")
        }
    }

    @Test("Under group commit each accepted reply follows a sync, and entries share syncs")
    func syncPerGroup() async throws {
        let vfs = try FaultVFS()
        var options = LedgerOptions()
        options.vfs = vfs.name
        let ledger = try SQLiteLedger.open(path: directory.path(), options: options)
        defer { ledger.close() }
        let start = vfs.walSyncs
        let unsynced = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<2000 {
                group.addTask {
                    let before = vfs.walSyncs
                    let outcomes = try await ledger.commit([try Sample.entry()])
                    return outcomes != [.committed] || vfs.walSyncs <= before
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(unsynced == 0)
        #expect(vfs.walSyncs - start < 2000, "2000 commits shared \(vfs.walSyncs - start) syncs")
    }

    @Test(
        "SIGKILL under load loses nothing accepted, and nothing spent or issued can be spent or issued again", arguments: 1...3)
    func kill(_ round: Int) async throws {
        let path = directory.path()
        let accepted = try Self.runUntilKilled(path, lines: 300 * round)
        try #require(accepted.count >= 300 * round)

        let ledger = try SQLiteLedger.open(path: path)
        defer { ledger.close() }
        #expect(try AuditWalk.isUnbroken(path))
        #expect(try OtherConnection(path).text("PRAGMA integrity_check") == "ok")
        for number in accepted {
            let name = [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
            let id = try #require(DeviceID(bytes: name))
            #expect(try await ledger.device(id)?.counter == 1)
            var second = name
            second[0] = 0x80
            for token in [name, second] {
                let spend = spend(token)
                #expect(try await ledger.commit([try Sample.entry(spends: [spend])]) == [.refused(.challengeReused)])
            }
            let advance = LedgerEntry.Advance(device: id, counter: 1, rule: .strictlyIncreasing)
            #expect(try await ledger.commit([try Sample.entry(advances: [advance])]) == [.refused(.counterNotIncreasing)])
            try await expectIssued([1] + name, to: id, by: ledger)
            if number.isMultiple(of: 4) { try await expectProvisioned(number, by: ledger) }
        }
        // Entries in flight are applied in full or not at all: there is a device for each token that registered one.
        let other = try OtherConnection(path)
        func count(_ rows: String) throws -> Int64 { Int64(try other.text("SELECT count(*) FROM \(rows)")) ?? -1 }
        let tokens = "SELECT count(*) FROM \(SpentBucket(spend([]), at: Sample.now).table)"
        let (devices, fleet) = (try count("devices"), try count("fleet_devices"))
        let advanced = try count("counters WHERE counter = 1")
        #expect(try other.text(tokens) == "\(devices - fleet + advanced)")
        // A certificate for each advance and each device of a fleet; a record of each, and of each permission.
        #expect(try count("certificates") == advanced + fleet)
        #expect(try count("enrolments WHERE used_by IS NOT NULL") == fleet)
        #expect(try count("audit") == devices - fleet + 2 * advanced + count("enrolments") + fleet)
        #expect(try await ledger.status().devices == devices)
    }

    /// The certificate is on record, and neither its serial number nor its key is certified again.
    private func expectIssued(_ serial: [UInt8], to device: DeviceID, by ledger: SQLiteLedger) async throws {
        let certificate = try #require(try await ledger.certificate(CertificateName(issuer: [1], serial: serial)))
        #expect(certificate.device == device && certificate.keyID == serial && certificate.der.count == 900)
        func again(_ serial: [UInt8], key: [UInt8]) async throws -> [CommitOutcome] {
            try await ledger.commit([
                Sample.entry(
                    issues: DeviceCertificate(
                        name: CertificateName(issuer: [1], serial: serial), app: certificate.app, device: device, keyID: key,
                        notBefore: Sample.now, notAfter: Sample.expiry, issuedAt: Sample.now, basis: certificate.basis, der: [])
                )
            ])
        }
        #expect(try await again(serial, key: SecureRandom.bytes(32)) == [.refused(.certificateSerialTaken)])
        #expect(try await again(SecureRandom.bytes(16), key: serial) == [.refused(.keyAlreadyCertified)])
    }

    private func expectProvisioned(_ number: UInt64, by ledger: SQLiteLedger) async throws {
        let name = [UInt8](repeating: 0x40, count: 8) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
        let app = try #require(AppID("fleet"))
        let record = try #require(try await ledger.fleetDevice(serial: name, app: app))
        #expect(try await ledger.fleetDevice(idempotencyKey: name) == record)
        #expect(try await ledger.device(record.device)?.registration.keyID == name)
        try await expectIssued([2] + name, to: record.device, by: ledger)
    }

    /// The tokens as the child spends them.
    private func spend(_ token: [UInt8]) -> LedgerEntry.Spend {
        LedgerEntry.Spend(token: token, expiry: Sample.expiry, expiryIsFixed: true)
    }

    /// Runs the child until it has printed a number of lines, kills it, and returns all numbers that it printed.
    private static func runUntilKilled(_ path: String, lines: Int) throws -> [UInt64] {
        let process = Process()
        process.executableURL = try child()
        process.arguments = [path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        defer { Foundation.kill(process.processIdentifier, SIGKILL) }
        // A hanging child must not block the tests: its end of the pipe closes with it.
        let pid = process.processIdentifier
        let watchdog = DispatchWorkItem { Foundation.kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
        var said: [UInt8] = []
        while said.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            said += more
        }
        Foundation.kill(pid, SIGKILL)
        // The lines that it printed before it was killed are still in the pipe.
        said += pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watchdog.cancel()
        return String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { UInt64($0) }
    }

    /// The child's executable is beside that of the tests.
    static func child() throws -> URL {
        let tests = try #require(
            CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? Bundle.allBundles.first?.bundlePath)
        let url = URL(filePath: tests).deletingLastPathComponent().appending(path: "ledger-crash-child")
        try #require(FileManager.default.isExecutableFile(atPath: url.path), "no ledger-crash-child beside \(tests)")
        return url
    }
}
