import AssayCore

/// What is blocked, by what it is about; and the flag in each device's hot row, which says so to whoever commits.
///
/// The flag holds one bit for each kind of block (`BlockKind`). It is kept when a block is set or lifted, and nothing is
/// registered under a block, so no commit has to look here for a device that is on record.
final class BlockTable {
    private let connection: SQLiteConnection
    private let contains: SQLiteStatement
    private let refusal: SQLiteStatement
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
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

    /// True if the subject of a request is blocked.
    func isBlocked(subject: [UInt8], of app: AppID) throws(SQLiteFailure) -> Bool {
        try isBlocked(Row(app: app.text, kind: .subject, target: subject))
    }

    /// True if the key or the subject of a device that is to be registered is blocked.
    func refuses(_ device: Device) throws(SQLiteFailure) -> Bool {
        refusal.bind(1, device.app.text)
        refusal.bind(2, device.registration.keyID)
        refusal.bind(3, device.subject)
        return try refusal.exists()
    }

    /// `nil`, and nothing changed, if the target is a device that is not on record. `changed` hears of each device whose
    /// flag is another now.
    func set(
        _ target: BlockTarget, reason: String, at time: Timestamp, changed: (DeviceID) -> Void
    ) throws(SQLiteFailure) -> BlockChange? {
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

    /// `nil` as above.
    func lift(_ target: BlockTarget, changed: (DeviceID) -> Void) throws(SQLiteFailure) -> BlockChange? {
        guard let row = try row(of: target) else { return nil }
        let wasBlocked = try isBlocked(row)
        try remove(row)
        return try flag(target, "blocked & ~\(target.kind.rawValue)", wasBlocked: wasBlocked, changed: changed)
    }

    /// Follows the removal of a device: its own block goes with it, and if it was blocked in any way, its key is from now
    /// on. True if it was.
    func inherit(from device: Device) throws(SQLiteFailure) -> Bool {
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

    private func row(of target: BlockTarget) throws(SQLiteFailure) -> Row? {
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

    private func isBlocked(_ row: Row) throws(SQLiteFailure) -> Bool {
        contains.bind(1, row.app)
        contains.bind(2, Int64(row.kind.rawValue))
        contains.bind(3, row.target)
        return try contains.exists()
    }

    private func remove(_ row: Row) throws(SQLiteFailure) {
        delete.bind(1, row.app)
        delete.bind(2, Int64(row.kind.rawValue))
        delete.bind(3, row.target)
        try delete.run()
    }

    /// Sets the flag of every device that the target names to `flags`. Operators block seldom: nothing is kept prepared.
    private func flag(
        _ target: BlockTarget, _ flags: String, wasBlocked: Bool, changed: (DeviceID) -> Void
    ) throws(SQLiteFailure) -> BlockChange {
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
        for (bytes, _) in rows { DeviceID(bytes: bytes).map(changed) }
        return BlockChange(wasBlocked: wasBlocked, devices: rows.count, blocked: rows.count { $0.1 })
    }
}
