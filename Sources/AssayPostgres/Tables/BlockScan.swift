import AssayCore
import AssayLedger

/// Reads a page of the blocks of an app by their primary key, with one query for each kind.
enum BlockScan {
    /// The query for blocks of one kind whose targets compare to $3 by `comparison`.
    private static func selection(_ comparison: String) -> String {
        """
        SELECT target, reason, since FROM blocks WHERE app = $1 AND kind = $2 AND target \(comparison) $3
        ORDER BY target LIMIT $4
        """
    }

    static func page(_ listing: BlockListing, _ database: Database) throws(PostgresError) -> BlockPage {
        var blocks: [BlockRecord] = []
        var hasMore = false
        for (start, comparison) in listing.starts where !hasMore {
            let rows = try database.query(
                selection(comparison), .text(listing.app.text), .int8(Int64(start.kind.rawValue)), .bytes(start.bytes),
                .int8(Int64(max(0, listing.limit - blocks.count)) + 1))
            try rows.forEach { row throws(PostgresError) in
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
        _ row: PostgresRow, _ kind: BlockKind, _ app: AppID
    ) throws(PostgresError) -> BlockRecord {
        guard let target = BlockTarget(at: BlockPosition(kind, row.bytes(0)), in: app) else {
            throw .damaged("a block is about a device whose name is none")
        }
        return BlockRecord(target, reason: row.text(1), since: Timestamp(unixMilliseconds: row.int64(2)))
    }
}
