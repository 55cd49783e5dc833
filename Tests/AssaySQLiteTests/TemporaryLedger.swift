import AssayCore
import CFaultVFS
import CSQLite
import Foundation
import Synchronization
import Testing

@testable import AssaySQLite

/// Records the faults that a ledger reports.
final class FaultNotes: Sendable {
    private let noted = Mutex<[LedgerFault]>([])
    private let stream = AsyncStream<LedgerFault>.makeStream()
    var all: [LedgerFault] { noted.withLock { $0 } }
    /// The faults as they are reported.
    var events: AsyncStream<LedgerFault> { stream.stream }

    @Sendable func note(_ fault: LedgerFault) {
        noted.withLock { $0.append(fault) }
        stream.continuation.yield(fault)
    }
}

extension LedgerFault {
    var isFinal: Bool { if case .final = self { true } else { false } }
}

extension Error {
    var isReplaced: Bool { if case .replaced = self as? LedgerError { true } else { false } }
}

/// A directory that is removed with the object.
final class TemporaryDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "assay-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String = "ledger.db") -> String { url.appending(path: name).path }
}

/// A SQLite VFS with faults, under a unique name.
///
/// Unchecked: its functions can be called from any thread.
final class FaultVFS: @unchecked Sendable {
    let name = "fault-\(UUID().uuidString)"
    let faults: OpaquePointer

    init() throws { faults = try #require(fault_vfs_create(name)) }
    deinit { fault_vfs_destroy(faults) }

    var walSyncs: Int64 { fault_vfs_syncs(faults, Int32(FAULT_WAL)) }
}

/// A second connection to the same file, like that of another process.
final class OtherConnection {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
        try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK)
        sqlite3_busy_timeout(handle, 5000)
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    }

    func text(_ sql: String) throws -> String {
        var statement: OpaquePointer?
        try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
        defer { sqlite3_finalize(statement) }
        try #require(sqlite3_step(statement) == SQLITE_ROW, "\(String(cString: sqlite3_errmsg(handle)))")
        return sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
    }
}

enum Sample {
    static let now = Timestamp(unixSeconds: 1_750_000_000)
    static let expiry = now.adding(milliseconds: 300_000)
    static let app = AppID("test")

    static func entry(
        time: Timestamp = now, spends: [LedgerEntry.Spend] = [spend()], registrations: [Device] = [],
        advances: [LedgerEntry.Advance] = [], idempotency: LedgerEntry.Idempotency? = nil,
        issues certificate: DeviceCertificate? = nil
    ) throws -> LedgerEntry {
        LedgerEntry(
            time: time, spends: spends, registrations: registrations, advances: advances, idempotency: idempotency,
            audit: AuditRecord(
                requestID: SecureRandom.bytes(16), caller: "tester", app: try #require(app), purpose: .assert,
                device: certificate?.device, assurance: .hardware, evidenceDigest: SecureRandom.bytes(32),
                policyDigest: SecureRandom.bytes(32), simulated: false),
            certification: certificate.map { .init(issues: $0) })
    }

    static func certificate(
        of device: Device, bytes: Int = 900, renewedFrom: CertificateName? = nil
    ) -> DeviceCertificate {
        DeviceCertificate(
            name: CertificateName(issuer: [UInt8](repeating: 0xCA, count: 32), serial: [1] + SecureRandom.bytes(15)),
            app: device.app, device: device.id, keyID: SecureRandom.bytes(32), notBefore: now,
            notAfter: now.adding(milliseconds: 365 * 86_400_000), issuedAt: now,
            basis: CertificateBasis(
                assurance: .hardware, protection: .vouched, platform: .appAttestAttestation,
                policyDigest: [UInt8](repeating: 3, count: 32), simulated: false),
            der: SecureRandom.bytes(bytes), renewedFrom: renewedFrom)
    }

    static func spend() -> LedgerEntry.Spend { .init(token: SecureRandom.bytes(16), expiry: expiry) }

    static func device() throws -> Device {
        Device(
            id: .random(), app: try #require(app), subject: nil,
            registration: Registration(
                format: EvidenceFormat(rawValue: "test"), keyID: SecureRandom.bytes(32), publicKey: SecureRandom.bytes(65),
                environment: "production", anchor: SecureRandom.bytes(32), claims: Claims(), chainSerials: [[1]],
                receipt: SecureRandom.bytes(3000), simulated: false),
            registeredAt: now)
    }

    static func advance(_ device: Device, to counter: UInt32) -> LedgerEntry.Advance {
        .init(device: device.id, counter: counter, rule: .strictlyIncreasing)
    }
}

extension Device {
    var testKey: DeviceKey { DeviceKey(app: app, keyID: registration.keyID) }
}
