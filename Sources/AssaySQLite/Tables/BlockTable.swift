import AssayCore
import AssayLedger

/// The blocks by target, and the flags in the devices' hot rows, which commits read.
///
/// A flag has one bit for each kind of block (`BlockKind`). It changes when a block is set or lifted. No device is registered with a
/// blocked key or subject, so a commit does not read this table for registered devices.
final class BlockTable {
    private let connection: SQLiteConnection
    private let contains: SQLiteStatement
    private let refusal: SQLiteStatement
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        contains = try SQLiteStatement(connection, Self.containment)
        refusal = try SQLiteStatement(
            connection,
            """
            SELECT 1 FROM blocks WHERE app = ?1 AND kind = \(BlockKind.key.rawValue) AND target = ?2
            UNION ALL SELECT 1 FROM blocks WHERE app = ?1 AND kind = \(BlockKind.subject.rawValue) AND target = ?3
            """)
        insert = try SQLiteStatement(connection, "INSERT OR REPLACE INTO blocks VALUES (?1, ?2, ?3, ?4, ?5)")
        delete = try SQLiteStatement(connection, "DELETE FROM blocks WHERE app = ?1 AND kind = ?2 AND target = ?3")
    }

    /// ?1 the app, ?2 the kind, ?3 the target.
    static let containment = "SELECT 1 FROM blocks WHERE app = ?1 AND kind = ?2 AND target = ?3"

    /// True if a subject is blocked.
    func isBlocked(subject: [UInt8], of app: AppID) throws(SQLiteError) -> Bool {
        try isBlocked(Row(app: app.text, kind: .subject, target: subject))
    }

    /// True if a key is blocked.
    func isBlocked(_ key: DeviceKey) throws(SQLiteError) -> Bool {
        try isBlocked(Row(app: key.app.text, kind: .key, target: key.keyID))
    }

    /// True if the key or the subject of a new device is blocked.
    func refuses(_ device: Device) throws(SQLiteError) -> Bool {
        refusal.bind(1, device.app.text)
        refusal.bind(2, device.registration.keyID)
        refusal.bind(3, device.subject)
        return try refusal.exists()
    }

    /// Sets a block. `nil`, and no change, if the target is a device that is not registered.
    ///
    /// - Parameter changed: called with each device whose flag was written.
    func set(
        _ target: BlockTarget, reason: String, at time: Timestamp, changed: (DeviceID) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> BlockChange? {
        guard let row = try row(of: target) else { return nil }
        let wasBlocked = try isBlocked(row)
        insert.bind(1, row.app)
        insert.bind(2, Int64(target.kind.rawValue))
        insert.bind(3, row.target)
        insert.bind(4, reason)
        insert.bind(5, time.unixMilliseconds)
        try insert.run()
        return try flag(target, "blocked | \(target.kind.rawValue)", wasBlocked: wasBlocked, changed: changed)
    }

    /// Lifts a block. `nil`, and no change, if the target is a device that is not registered.
    func lift(_ target: BlockTarget, changed: (DeviceID) throws(SQLiteError) -> Void) throws(SQLiteError) -> BlockChange? {
        guard let row = try row(of: target) else { return nil }
        let wasBlocked = try isBlocked(row)
        try remove(row)
        return try flag(target, "blocked & ~\(target.kind.rawValue)", wasBlocked: wasBlocked, changed: changed)
    }

    /// Removes the block of a device that was removed, and blocks its key if the device was blocked by any kind of block. True if it was.
    func inherit(from device: Device) throws(SQLiteError) -> Bool {
        try remove(Row(app: device.app.text, kind: .device, target: device.id.bytes))
        guard let block = device.blocks.first else { return false }
        if !device.blocks.contains(where: { $0.kind == .key }) {
            _ = try set(.key(device.key), reason: block.reason, at: block.since, changed: { _ in })
        }
        return true
    }

    // MARK: Rows

    private struct Row {
        let app: String
        let kind: BlockKind
        let target: [UInt8]
    }

    private func row(of target: BlockTarget) throws(SQLiteError) -> Row? {
        switch target {
        case .device(let id):
            let lookup = try SQLiteStatement(connection, "SELECT app FROM devices WHERE id = ?1")
            lookup.bind(1, id.bytes)
            guard let app = try lookup.first({ $0.text(0) }) else { return nil }
            return Row(app: app, kind: .device, target: id.bytes)
        case .subject(let hash, let app): return Row(app: app.text, kind: .subject, target: hash)
        case .key(let key): return Row(app: key.app.text, kind: .key, target: key.keyID)
        }
    }

    private func isBlocked(_ row: Row) throws(SQLiteError) -> Bool {
        contains.bind(1, row.app)
        contains.bind(2, Int64(row.kind.rawValue))
        contains.bind(3, row.target)
        return try contains.exists()
    }

    private func remove(_ row: Row) throws(SQLiteError) {
        delete.bind(1, row.app)
        delete.bind(2, Int64(row.kind.rawValue))
        delete.bind(3, row.target)
        try delete.run()
    }

    /// Sets the flag of each device of the target to the SQL expression `flags`. Rare, so its statements are not kept.
    private func flag(
        _ target: BlockTarget, _ flags: String, wasBlocked: Bool, changed: (DeviceID) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> BlockChange {
        let (named, first, second): (String, [UInt8], String?) =
            switch target {
            case .device(let id): ("?1", id.bytes, nil)
            case .subject(let hash, let app): ("(SELECT id FROM devices WHERE subject = ?1 AND app = ?2)", hash, app.text)
            case .key(let key): ("(SELECT id FROM devices WHERE key_id = ?1 AND app = ?2)", key.keyID, key.app.text)
            }
        let comparison = second == nil ? "=" : "IN"
        let update = try SQLiteStatement(
            connection, "UPDATE counters SET blocked = \(flags) WHERE device \(comparison) \(named) RETURNING device, blocked")
        update.bind(1, first)
        if let second { update.bind(2, second) }
        let rows = try update.all { ($0.bytes(0), $0.int64(1) != 0) }
        for (bytes, _) in rows { if let device = DeviceID(bytes: bytes) { try changed(device) } }
        return BlockChange(wasBlocked: wasBlocked, devices: rows.count, blocked: rows.count { $0.1 })
    }
}

/// Reads a page of the blocks of an app by their primary key, with one query for each kind.
enum BlockScan {
    /// The query for blocks of one kind whose targets compare to ?3 by `comparison`.
    static func selection(_ comparison: String) -> String {
        "SELECT target, reason, since FROM blocks WHERE app = ?1 AND kind = ?2 AND target \(comparison) ?3 ORDER BY target"
    }

    static func page(_ listing: BlockListing, _ connection: SQLiteConnection) throws(SQLiteError) -> BlockPage {
        var blocks: [BlockRecord] = []
        var hasMore = false
        for (start, comparison) in listing.starts where !hasMore {
            // Rare, so the statement is not kept.
            let scan = try SQLiteStatement(connection, selection(comparison))
            scan.bind(1, listing.app.text)
            scan.bind(2, Int64(start.kind.rawValue))
            scan.bind(3, start.bytes)
            try scan.forEach { row throws(SQLiteError) in
                guard blocks.count < listing.limit else {
                    hasMore = true
                    return false
                }
                blocks.append(try record(row, start.kind, listing.app))
                return true
            }
        }
        return BlockPage(blocks: blocks, next: hasMore ? blocks.last?.target.position : nil)
    }

    private static func record(
        _ row: SQLiteStatement, _ kind: BlockKind, _ app: AppID
    ) throws(SQLiteError) -> BlockRecord {
        guard let target = BlockTarget(at: BlockPosition(kind, row.bytes(0)), in: app) else {
            throw .damaged("a block is about a device whose name is none")
        }
        return BlockRecord(target, reason: row.text(1), since: Timestamp(unixMilliseconds: row.int64(2)))
    }
}
