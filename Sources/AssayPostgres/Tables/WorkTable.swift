import AssayCore

/// Which writer does the work that one daemon does for all: as long as its lease lasts.
struct WorkTable {
    let database: Database

    enum Owner {
        case own, other
        /// No writer, or one without a daemon.
        case none
    }

    private static let isHeld = """
        EXISTS (SELECT 1 FROM writers w WHERE w.writer = work.writer AND w.held_until > \(WriterLease.now))
        """

    func owner(of work: BackgroundWork, for writer: Int64) throws(PostgresError) -> Owner {
        let found = try database.query(
            "SELECT work.writer = $2, \(Self.isHeld) FROM work WHERE name = $1", .text(work.rawValue), .int8(writer)
        ).first { (isOwn: $0.bool(0), isHeld: $0.bool(1)) }
        guard let found, found.isHeld else { return .none }
        return found.isOwn ? .own : .other
    }

    /// Takes work that no running daemon does. False if another one was faster.
    func take(_ work: BackgroundWork, for writer: Int64) throws(PostgresError) -> Bool {
        try !database.query(
            """
            INSERT INTO work (name, writer) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET writer = $2
            WHERE work.writer = $2 OR NOT \(Self.isHeld) RETURNING 1
            """, .text(work.rawValue), .int8(writer)
        ).isEmpty
    }
}
