import AssayCore
import Foundation
import Testing

@testable import AssaySQLite

@Suite("Schema")
struct SchemaTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func connection() throws -> SQLiteConnection {
        try LedgerFile.make(directory.path())
        return try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
    }

    @Test("Schema versions are numbered 1, 2, 3, …")
    func versions() {
        #expect(Schema.migrations.map(\.version) == Array(1...Int64(Schema.migrations.count)))
    }

    @Test("A file of schema version 1 opens with its data")
    func fromVersion1() async throws {
        let connection = try connection()
        try connection.settleFile()
        try Schema.migrate(connection, [.version1])
        // Rows as version 1 wrote them, in SQL, so that they never change.
        let id = [UInt8](repeating: 7, count: 16)
        try connection.execute(
            """
            INSERT INTO devices (id, key_id, app, subject, format, public_key, environment, anchor, simulated,
                imported, registered_at, chain_serials, attestation_key, claims, receipt)
            VALUES (x'\(Hex.encode(id))', x'01', 'test', NULL, 'f', x'04', 'production', x'05', 0, 0, 1000,
                x'0000000103', x'', x'', x'06');
            INSERT INTO counters VALUES (x'\(Hex.encode(id))', 41, 3, 0, 2000);
            CREATE TABLE "spent_token_600_2916667" (token BLOB PRIMARY KEY, expiry INTEGER NOT NULL)
            STRICT, WITHOUT ROWID;
            CREATE TABLE "spent_expiry_600_2916667" (expiry INTEGER, token BLOB, PRIMARY KEY (expiry, token))
            STRICT, WITHOUT ROWID;
            INSERT INTO "spent_token_600_2916667" VALUES (x'\(Hex.encode(id))', \(Sample.expiry.unixMilliseconds));
            INSERT INTO "spent_expiry_600_2916667" VALUES (\(Sample.expiry.unixMilliseconds), x'\(Hex.encode(id))');
            INSERT INTO secrets VALUES ('n', 1, x'08', 3000);
            UPDATE meta SET value = 1 WHERE name = 'devices';
            UPDATE meta SET value = 5000 WHERE name = 'spent_horizon';
            """)

        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let name = try #require(DeviceID(bytes: id))
        let device = try #require(try await ledger.device(name))
        #expect(device.counter == 41 && device.counterWindow == 3)
        #expect(device.registration.chainSerials == [[3]] && device.registration.receipt == [6])
        #expect(try await ledger.secrets().map(\.wrapped) == [[8]])
        #expect(try await ledger.status().spentHorizon == Timestamp(unixMilliseconds: 5000))
        for isFixed in [true, false] {
            let spent = LedgerEntry.Spend(token: id, expiry: Sample.expiry, expiryIsFixed: isFixed)
            #expect(try await ledger.commit([try Sample.entry(spends: [spent])]) == [.refused(.challengeReused)])
        }
        let advance = LedgerEntry.Advance(device: device.id, counter: 42, rule: .strictlyIncreasing)
        #expect(try await ledger.commit([try Sample.entry(advances: [advance])]) == [.committed])
    }

    @Test("The certificates of a file of schema version 2 have no origin, and are renewed and revoked as others")
    func fromVersion2() async throws {
        let connection = try connection()
        try connection.settleFile()
        try Schema.migrate(connection, [.version1, .version2])
        let device = try Sample.device()
        // Rows as version 2 wrote them, in SQL, so that they never change.
        let (issuer, serial, keyID) = ([UInt8](repeating: 0xCA, count: 32), [UInt8]([1, 2]), [UInt8](repeating: 9, count: 32))
        try connection.execute(
            """
            INSERT INTO issuers VALUES (1, x'\(Hex.encode(issuer))', 0, \(Sample.expiry.unixMilliseconds));
            INSERT INTO certificates VALUES (1, 1, x'\(Hex.encode(serial))', 'test', x'\(Hex.encode(device.id.bytes))',
                x'\(Hex.encode(keyID))', 1000, \(Sample.expiry.unixMilliseconds), 2000, 3, 2, 'f', x'0D', 0, NULL, NULL, x'30');
            """)
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let name = CertificateName(issuer: issuer, serial: serial)
        let found = try #require(try await ledger.certificate(name))
        #expect(found.renewedFrom == nil && found.der == [0x30] && found.keyID == keyID && found.revocation == nil)
        #expect(try await ledger.commit([Sample.entry(registrations: [device])]) == [.committed])
        let renewed = Sample.certificate(of: device, renewedFrom: name)
        #expect(try await ledger.commit([Sample.entry(issues: renewed)]) == [.committed])
        let change = try await ledger.revoke(name, .keyCompromise, ChangeContext(.start, at: Sample.now))
        #expect(change?.renewals == [renewed.name])
    }

    @Test("A later migration finds the data of earlier versions, and each migration runs once")
    func nextStep() throws {
        let connection = try connection()
        try Schema.migrate(connection, [.version1])
        try connection.execute("INSERT INTO secrets VALUES ('n', 1, x'08', 3000)")
        let next = Migration(
            version: 2, sql: "ALTER TABLE secrets ADD COLUMN note TEXT NOT NULL DEFAULT 'old'; CREATE TABLE once (x)")
        try Schema.migrate(connection, [.version1, next])
        try Schema.migrate(connection, [.version1, next])
        #expect(try connection.text("SELECT note FROM secrets") == "old")
        #expect(try connection.integer("PRAGMA user_version") == 2)
    }

    @Test("A failed migration leaves the version before it")
    func failingStep() throws {
        let connection = try connection()
        let bad = Migration(version: 2, sql: "CREATE TABLE half (x); CREATE TABLE nonsense")
        #expect(throws: SQLiteError.self) { try Schema.migrate(connection, [.version1, bad]) }
        #expect(try connection.integer("PRAGMA user_version") == 1)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
        try Schema.migrate(connection)
    }

    @Test("A newer schema version is refused and named")
    func newer() throws {
        try SQLiteLedger.open(path: directory.path()).close()
        try connection().execute("PRAGMA user_version=99")
        #expect { try SQLiteLedger.open(path: directory.path()) } throws: {
            "\($0)".contains("schema version 99 is newer than \(Schema.migrations.count)")
        }
    }

    @Test("A database of another application is refused and not changed")
    func foreign() throws {
        let other = try OtherConnection(directory.path())
        try other.execute("CREATE TABLE theirs (x)")
        #expect { try SQLiteLedger.open(path: directory.path()) } throws: { "\($0)".contains("no Assay ledger") }
        #expect(try other.text("SELECT group_concat(name) FROM sqlite_schema") == "theirs")
    }
}
