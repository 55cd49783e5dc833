import AssayCore

/// One page of the blocks of an app, found by their primary key: a look for each kind.
enum BlockScan {
    /// Blocks of one kind whose targets compare so to a given one.
    static func selection(_ comparison: String) -> String {
        "SELECT target, reason, since FROM blocks WHERE app = ?1 AND kind = ?2 AND target \(comparison) ?3 ORDER BY target"
    }

    static func page(_ listing: BlockListing, _ connection: SQLiteConnection) throws(SQLiteFailure) -> BlockPage {
        var blocks: [BlockRecord] = []
        var hasMore = false
        for (start, comparison) in starts(of: listing) where !hasMore {
            // Operators list: nothing is kept prepared.
            let scan = try SQLiteStatement(connection, selection(comparison))
            scan.bind(1, listing.app.text)
            scan.bind(2, Int64(start.kind.rawValue))
            scan.bind(3, start.bytes)
            try scan.forEach { row throws(SQLiteFailure) in
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

    /// For each kind that is asked for, where the page begins in it.
    private static func starts(of listing: BlockListing) -> [(BlockPosition, comparison: String)] {
        switch listing.choice {
        case .all: BlockKind.allCases.compactMap { start(in: $0, of: listing) }
        case .kind(let kind): [start(in: kind, of: listing)].compactMap(\.self)
        case .target(let target):
            listing.position.map { $0 < target.position } ?? true ? [(target.position, "=")] : []
        }
    }

    /// `nil` where the page begins behind all of a kind.
    private static func start(in kind: BlockKind, of listing: BlockListing) -> (BlockPosition, comparison: String)? {
        guard let position = listing.position, position.kind.rawValue >= kind.rawValue else {
            return (BlockPosition(kind, []), ">=")
        }
        return position.kind == kind ? (position, ">") : nil
    }

    private static func record(
        _ row: SQLiteStatement, _ kind: BlockKind, _ app: AppID
    ) throws(SQLiteFailure) -> BlockRecord {
        guard let target = BlockTarget(at: BlockPosition(kind, row.bytes(0)), in: app) else {
            throw .damaged("a block is about a device whose name is none")
        }
        return BlockRecord(target, reason: row.text(1), since: Timestamp(unixMilliseconds: row.int64(2)))
    }
}
