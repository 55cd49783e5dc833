import AssayCore
import AssayLedger
import AssayTesting
import CFaultVFS
import CSQLite
import Testing

@testable import AssaySQLite

/// What a ledger answers and commits from memory is what its file says.
@Suite("Facts in memory")
struct CachedFactsTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private let context = ChangeContext(.start, at: Sample.now)

    private func open(_ options: LedgerOptions = LedgerOptions()) throws -> SQLiteLedger {
        try SQLiteLedger.open(path: directory.path(), options: options)
    }

    private func certified(_ ledger: SQLiteLedger) async throws -> (Device, DeviceCertificate) {
        let device = try Sample.device()
        let certificate = Sample.certificate(of: device)
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        #expect(try await ledger.commit([Sample.entry(issues: certificate)]) == [.committed])
        return (device, certificate)
    }

    /// An accepted bundle of the device.
    private func bundle(
        _ device: Device, _ certificate: DeviceCertificate, at time: Timestamp = Sample.now, limit: Int64 = 1000
    ) throws -> LedgerEntry {
        LedgerEntry(
            time: time, spends: [.init(token: SecureRandom.bytes(16), expiry: time.adding(milliseconds: 86_400_000))],
            audit: AuditRecord(
                requestID: SecureRandom.bytes(16), caller: "tester", app: device.app, purpose: .assert, device: device.id,
                assurance: .software, evidenceDigest: SecureRandom.bytes(32), policyDigest: SecureRandom.bytes(32),
                simulated: false),
            certification: .init(restsOn: certificate.name, submission: .init(device: device.id, limit: limit)))
    }

    @Test("A bundle's commit leaves its device and its certificate cached, with the time of the acceptance")
    func cached() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let (device, certificate) = try await certified(ledger)
        #expect(try await ledger.device(device.testKey) == device)
        #expect(try await ledger.certificate(certificate.name) == certificate)
        let later = Sample.now.adding(milliseconds: 5000)
        #expect(try await ledger.commit([bundle(device, certificate, at: later)]) == [.committed])
        let before = (ledger.caches.devices.lookUps.hits, ledger.caches.certificates.lookUps.hits)
        #expect(try await ledger.device(device.testKey)?.lastAcceptedAt == later)
        #expect(try await ledger.device(device.id)?.lastAcceptedAt == later)
        #expect(try await ledger.certificate(certificate.name) == certificate)
        let after = (ledger.caches.devices.lookUps.hits, ledger.caches.certificates.lookUps.hits)
        #expect(after.0 == before.0 + 2 && after.1 == before.1 + 1)
    }

    @Test("Devices of many keys are found as those of each, blocked and unknown ones too, and nothing is read of cached ones")
    func many() async throws {
        let devices = try (0..<40).map { _ in try Sample.device() }
        let stranger = DeviceKey(app: try #require(AppID("other")), keyID: devices[0].testKey.keyID)
        let keys = devices.map(\.testKey) + [stranger, try Sample.device().testKey, devices[7].testKey, devices[0].testKey]
        let ledger = try open()
        defer { ledger.close() }
        #expect(try await ledger.commit([Sample.entry(registrations: devices)]) == [.committed])
        _ = try await ledger.block(.device(devices[0].id), reason: "stolen", at: Sample.now)
        let together = try await ledger.devices(of: keys).map { try $0.get() }
        #expect(Array(together[1..<40]) == Array(devices[1...]) && Array(together[40...41]) == [nil, nil])
        #expect(together[42] == devices[7] && together[43] == together[0] && together[0]?.isBlocked == true)
        // Behind the ledger's back: what is not cached is read, also beside what is.
        let other = try OtherConnection(directory.path())
        try other.execute("UPDATE counters SET counter = 9 WHERE device IN (SELECT device FROM counters)")
        let counters = try await ledger.devices(of: keys).map { try $0.get()?.counter }
        #expect(counters == [9] + [UInt32?](repeating: 0, count: 39) + [nil, nil, 0, 9])
        #expect(await ledger.devices(of: []).isEmpty)
        ledger.close()
        let again = try open()
        defer { again.close() }
        for (key, device) in zip(keys, await again.devices(of: keys)) {
            #expect(try await again.device(key) == device.get())
        }
    }

    /// What revokes a certificate.
    enum Revocation: CaseIterable, Sendable {
        case revoked, blockedDevice, blockedKey, forgotten

        var committed: ReasonCode {
            switch self {
            case .revoked: .revoked
            case .blockedDevice, .blockedKey: .deviceBlocked
            case .forgotten: .unknownDevice
            }
        }
    }

    @Test("A certificate that is cached, and on which evidence rested, is revoked at once", arguments: Revocation.allCases)
    func revoked(_ revocation: Revocation) async throws {
        let ledger = try open()
        defer { ledger.close() }
        let (device, certificate) = try await certified(ledger)
        for _ in 0..<2 {
            #expect(try await ledger.certificate(certificate.name) == certificate)
            #expect(try await ledger.commit([bundle(device, certificate)]) == [.committed])
        }
        switch revocation {
        case .revoked: _ = try await ledger.revoke(certificate.name, .keyCompromise, context)
        case .blockedDevice: _ = try await ledger.block(.device(device.id), context)
        case .blockedKey: _ = try await ledger.block(.key(device.testKey), context)
        case .forgotten: _ = try await ledger.forget(device.id, context)
        }
        let found = try #require(try await ledger.certificate(certificate.name))
        #expect(found.revocation != nil && found.der.isEmpty == (revocation == .forgotten))
        #expect(try await ledger.commit([bundle(device, certificate)]) == [.refused(revocation.committed)])
        // Not through another device either.
        let other = try Sample.device()
        #expect(try await ledger.commit([Sample.entry(registrations: [other])]) == [.committed])
        #expect(try await ledger.commit([bundle(other, certificate)]) == [.refused(.revoked)])
    }

    @Test("A certificate on which evidence rested is refused after its end, and is good again for an earlier time")
    func expired() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let (device, certificate) = try await certified(ledger)
        let (last, late) = (certificate.notAfter, certificate.notAfter.adding(milliseconds: 1))
        for (time, outcome) in [
            (Sample.now, CommitOutcome.committed), (last, .committed), (late, .refused(.expired)), (last, .committed),
        ] {
            #expect(try await ledger.commit([bundle(device, certificate, at: time)]) == [outcome])
        }
    }

    @Test("A revocation by another process is found in the next commit, and read after it")
    func otherProcess() async throws {
        var options = LedgerOptions()
        options.isExclusive = false
        let ledger = try open(options)
        defer { ledger.close() }
        let (device, certificate) = try await certified(ledger)
        #expect(try await ledger.certificate(certificate.name) == certificate)
        #expect(try await ledger.commit([bundle(device, certificate)]) == [.committed])
        let other = try OtherConnection(directory.path())
        try other.execute(
            "UPDATE certificates SET revoked_at = 1, reason = 1; UPDATE submissions SET count = 999; ")
        #expect(try await ledger.commit([bundle(device, certificate)]) == [.refused(.revoked)])
        #expect(try await ledger.certificate(certificate.name)?.revocation?.reason == .keyCompromise)
        #expect(try await ledger.submissions(of: device.id, at: Sample.now) == 999)
        try other.execute("UPDATE certificates SET revoked_at = NULL, reason = NULL")
        #expect(
            try await ledger.commit([bundle(device, certificate), bundle(device, certificate)]) == [
                .committed, .refused(.tooManySubmissions),
            ])
    }

    @Test("Submissions are counted exactly, within one transaction and over hours, and never beyond the limit")
    func submissions() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let (device, certificate) = try await certified(ledger)
        let other = try OtherConnection(directory.path())
        func counted(_ time: Timestamp) throws -> Int64? {
            let hours = SubmissionHours.counted(at: time)
            return Int64(
                try other.text(
                    "SELECT coalesce(sum(count), 0) FROM submissions WHERE hour BETWEEN \(hours.lowerBound) AND \(hours.upperBound)"
                ))
        }
        let hour: Int64 = 3_600_000
        let later = try (0..<6).map { _ in try bundle(device, certificate, limit: 4) }
        let outcomes = try await ledger.commit(later)
        #expect(
            outcomes == [
                .committed, .committed, .committed, .committed, .refused(.tooManySubmissions), .refused(.tooManySubmissions),
            ])
        for offset in [0, hour, 24 * hour, 25 * hour, 26 * hour, hour, 0, -hour, 25 * hour] {
            let time = Sample.now.adding(milliseconds: offset)
            #expect(try await ledger.submissions(of: device.id, at: time) == counted(time))
            let outcome = try await ledger.commit([bundle(device, certificate, at: time, limit: 6)])
            #expect(try await ledger.submissions(of: device.id, at: time) == counted(time))
            #expect(try outcome == [.committed] || counted(time) ?? 0 >= 6)
        }
        #expect(try await ledger.forget(device.id, context) != nil)
        #expect(try await ledger.submissions(of: device.id, at: Sample.now) == 0)
    }

    @Test("The end of a CA's last certificate is known, in whatever order certificates end, and after another process wrote")
    func lastExpiry() async throws {
        var options = LedgerOptions()
        options.isExclusive = false
        let ledger = try open(options)
        defer { ledger.close() }
        let (device, first) = try await certified(ledger)
        func issue(_ days: Int64, issuer: [UInt8] = first.name.issuer) async throws {
            let certificate = DeviceCertificate(
                name: CertificateName(issuer: issuer, serial: [1] + SecureRandom.bytes(15)), app: device.app, device: device.id,
                keyID: SecureRandom.bytes(32), notBefore: Sample.now,
                notAfter: first.notAfter.adding(milliseconds: days * 86_400_000), issuedAt: Sample.now, basis: first.basis,
                der: [1])
            #expect(try await ledger.commit([Sample.entry(issues: certificate)]) == [.committed])
            #expect(try await ledger.certificate(certificate.name) == certificate)
        }
        let other = [UInt8](repeating: 0xCB, count: 32)
        for (days, last) in [(-1, 0), (3, 3), (2, 3), (3, 3), (4, 4)] as [(Int64, Int64)] {
            try await issue(days)
            try await issue(-days, issuer: other)
            #expect(
                try await ledger.lastExpiry(of: first.name.issuer) == first.notAfter.adding(milliseconds: last * 86_400_000))
        }
        #expect(try await ledger.lastExpiry(of: other) == first.notAfter.adding(milliseconds: 86_400_000))
        try OtherConnection(directory.path()).execute("UPDATE issuers SET last_expiry = 1")
        try await issue(1)
        #expect(try await ledger.lastExpiry(of: first.name.issuer) == first.notAfter.adding(milliseconds: 86_400_000))
    }

    @Test("What a transaction changed that failed is forgotten")
    func failed() async throws {
        let vfs = try FaultVFS()
        var options = LedgerOptions()
        options.vfs = vfs.name
        options.busyTimeout = 20
        let ledger = try open(options)
        defer { ledger.close() }
        let (device, certificate) = try await certified(ledger)
        #expect(try await ledger.commit([bundle(device, certificate)]) == [.committed])
        fault_vfs_set_space(vfs.faults, 0)
        await #expect(throws: (any Error).self) { try await ledger.commit([bundle(device, certificate)]) }
        await #expect(throws: (any Error).self) { try await ledger.revoke(certificate.name, .superseded, context) }
        fault_vfs_set_space(vfs.faults, -1)
        #expect(try await ledger.submissions(of: device.id, at: Sample.now) == 1)
        #expect(try await ledger.certificate(certificate.name) == certificate)
        #expect(try await ledger.commit([bundle(device, certificate, limit: 2)]) == [.committed])
        #expect(try await ledger.submissions(of: device.id, at: Sample.now) == 2)
        #expect(try await ledger.commit([bundle(device, certificate, limit: 2)]) == [.refused(.tooManySubmissions)])
    }

    @Test("A statement is accepted once, in whatever period its use is kept")
    func spends() async throws {
        let ledger = try open()
        defer { ledger.close() }
        let day: Int64 = 86_400_000
        let token = SecureRandom.bytes(16)
        func spend(after days: Int64, _ token: [UInt8] = token) throws -> LedgerEntry {
            try Sample.entry(spends: [.init(token: token, expiry: Sample.now.adding(milliseconds: days * day))])
        }
        // Other periods, before and after the token's own.
        for days in [3, 9] as [Int64] {
            #expect(try await ledger.commit([spend(after: days, SecureRandom.bytes(16))]) == [.committed])
        }
        #expect(try await ledger.commit([spend(after: 5)]) == [.committed])
        for days in [5, 3, 9, 20, 5] as [Int64] {
            #expect(try await ledger.commit([spend(after: days)]) == [.refused(.challengeReused)])
        }
        try await ledger.purge(now: Sample.now.adding(milliseconds: 4 * day))
        for days in [5, 9, 30] as [Int64] {
            #expect(try await ledger.commit([spend(after: days)]) == [.refused(.challengeReused)])
        }
    }
}
