import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Certificates in the file")
struct CertificateTableTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// The statements about certificates and fleets that a caller's request runs.
    private static let statements: [String] =
        [
            CertificateTable.state, CertificateTable.certifiedKey, CertificateTable.revocation, CertificateTable.erasure,
            CertificateRow.selectionWithoutDER + CertificateRow.wasRenewed,
            CertificateRow.selection + CertificateRow.hasName, CertificateRow.selection + CertificateRow.hasKey,
            CertificateRow.selection + CertificateRow.hasSerial,
            CertificateScan.selection(ofDevice: true), CertificateScan.selection(ofDevice: false), RevocationTable.revoked,
            RevocationTable.issuer, RevocationTable.list, SubmissionTable.counting, SubmissionTable.purging,
            EnrolmentTable.selection + EnrolmentTable.isPermit, EnrolmentTable.using, EnrolmentScan.selection,
            StatusTable.places,
            FleetTable.selection + FleetTable.hasSerial, FleetTable.selection + FleetTable.hasIdempotency, FleetTable.secret,
            FleetTable.blockedKeys, FleetTable.supersession, CertificateScan.selection(ofDevice: false, ofSerial: true),
            CertificateScan.selection(ofDevice: true, ofSerial: true), CertificateTable.counting(3),
        ] + BlockKind.allCases.map { CertificateRow.selectionWithoutDER + CertificateTable.unrevoked(of: $0) }

    @Test("No statement about certificates scans a table", arguments: statements)
    func plans(_ sql: String) throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        let steps = try SQLiteStatement(connection, "EXPLAIN QUERY PLAN " + sql).all { $0.text(3) }
        #expect(steps.contains { $0.hasPrefix("SEARCH") }, "\(steps)")
        #expect(!steps.contains { $0.hasPrefix("SCAN") }, "\(steps)")
    }

    @Test("Pages of certificates and permissions read a bounded number of records, and lead to all")
    func boundedPages() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let device = try Sample.device()
        let certificates = (0..<5).map { _ in Sample.certificate(of: device) }
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        for certificate in certificates {
            #expect(try await ledger.commit([Sample.entry(issues: certificate)]) == [.committed])
        }
        let context = ChangeContext(.start, at: Sample.now)
        _ = try await ledger.revoke(certificates[4].name, .superseded, context)
        let permits = (0..<5 as Range<UInt8>).map {
            Enrolment(app: device.app, permit: .serial([$0]), createdAt: Sample.now, usedBy: $0 == 4 ? device.id : nil)
        }
        _ = try await ledger.add(permits, context)
        let connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
        var (position, sizes) = (Int64?(0), [Int]())
        while let here = position {
            let listing = CertificateListing(app: device.app, isRevoked: true, position: here, limit: 10)
            let page = try CertificateScan.page(listing, lookLimit: 2, connection)
            sizes.append(page.certificates.count)
            position = page.next
        }
        #expect(sizes == [0, 0, 1])
        (position, sizes) = (0, [])
        while let here = position {
            let listing = EnrolmentListing(app: device.app, isUsed: true, position: here, limit: 10)
            let page = try EnrolmentScan.page(listing, lookLimit: 2, connection)
            sizes.append(page.enrolments.count)
            position = page.next
        }
        #expect(sizes == [0, 0, 1])
    }

    @Test("A damaged file, in which two certificates were renewed from each other, does not keep a revocation from ending")
    func circle() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let device = try Sample.device()
        let certificates = (0..<2).map { _ in Sample.certificate(of: device) }
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        for certificate in certificates {
            #expect(try await ledger.commit([Sample.entry(issues: certificate)]) == [.committed])
        }
        try OtherConnection(directory.path()).execute("UPDATE certificates SET renewed_from = 3 - number")
        let change = try await ledger.revoke(certificates[0].name, .keyCompromise, ChangeContext(.start, at: Sample.now))
        #expect(change?.renewals == [certificates[1].name] && change?.hasMoreRenewals == false)
    }

    @Test("The certificates of a forgotten device are overwritten in the file")
    func erased() async throws {
        let device = try Sample.device()
        let (certificate, revoked) = (Sample.certificate(of: device, bytes: 9000), Sample.certificate(of: device, bytes: 9000))
        let ledger = try SQLiteLedger.open(path: directory.path())
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        for issued in [certificate, revoked] {
            #expect(try await ledger.commit([Sample.entry(issues: issued)]) == [.committed])
        }
        _ = try await ledger.revoke(revoked.name, .superseded, ChangeContext(.start, at: Sample.now))
        ledger.close()
        // Of each certificate pieces of the first page, of an overflow page and of the end.
        let pieces = [certificate, revoked].flatMap { issued in
            [100, 5000, 8900].map { Data(issued.der[$0..<$0 + 32]) }
        }
        func found() throws -> [Bool] {
            let bytes = try Data(contentsOf: URL(filePath: directory.path()))
            return pieces.map { bytes.range(of: $0) != nil }
        }
        #expect(try found() == [Bool](repeating: true, count: 6))
        let again = try SQLiteLedger.open(path: directory.path())
        #expect(try await again.forget(device.id, ChangeContext(.start, at: Sample.now)) != nil)
        again.close()
        #expect(try found() == [Bool](repeating: false, count: 6))
    }

    @Test("Thousands of old submission counts are purged in portions")
    func purge() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let count = SubmissionTable.purgeLimit * 2 + 1
        let other = try OtherConnection(directory.path())
        let hour = SubmissionHours.hour(of: Sample.now)
        try other.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO submissions SELECT randomblob(16), \(hour) - 25 - i % 3, 1 FROM n;
            INSERT INTO submissions VALUES (randomblob(16), \(hour) - 24, 1);
            """)
        try await ledger.purge(now: Sample.now)
        #expect(try other.text("SELECT count(*) FROM submissions") == "1")
    }

    @Test("10,000 certificates of 900 bytes take less than 2400 bytes of the file each, with their audit records")
    func size() async throws {
        let device = try Sample.device()
        let ledger = try SQLiteLedger.open(path: directory.path())
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        let certificates = (0..<10_000).map { _ in Sample.certificate(of: device) }
        for start in stride(from: 0, to: certificates.count, by: 500) {
            let entries = try certificates[start..<start + 500].map { try Sample.entry(spends: [], issues: $0) }
            #expect(try await ledger.commit(entries).allSatisfy { $0 == .committed })
        }
        let last = try #require(certificates.last)
        #expect(try await ledger.certificate(last.name) == last)
        #expect(try await ledger.certificate(ofKey: last.keyID, app: last.app) == last)
        ledger.close()
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: directory.path())[.size] as? Int)
        #expect(size / certificates.count < 2400)
    }
}
