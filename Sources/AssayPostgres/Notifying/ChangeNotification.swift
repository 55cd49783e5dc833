import AssayCore
import AssayLedger

/// What a daemon tells the others when it blocks, unblocks or removes devices, or keeps receipts: their ids. Cached records of these are
/// read again. Commits of verdicts tell nothing: PostgreSQL takes a lock on the whole database for each notification.
enum ChangeNotification {
    /// The most bytes of a payload are 7,999.
    private static let limit = 200
    private static let all = "*"

    /// The channel of a ledger; names have at most 63 bytes. Ledgers with one channel only read again more than they had to.
    static func channel(_ settings: PostgresSettings) -> String { "assay:" + settings.schema.prefix(50) }

    static func statements(_ changes: [DeviceChange], _ settings: PostgresSettings) -> [SQLStatement] {
        let ids = changes.map { change in
            switch change {
            case .unclear(let id), .touched(let id, _), .counted(let id, _, _): id
            case .advanced(let advance, _): advance.device
            }
        }
        guard !ids.isEmpty else { return [] }
        let payload = ids.count > limit ? all : ids.map { Hex.encode($0.bytes) }.joined(separator: ",")
        return [SQLStatement("SELECT pg_catalog.pg_notify($1, $2)", .text(channel(settings)), .text(payload))]
    }

    /// The devices of a payload; `nil` for all, and for what no daemon of this version sends.
    static func devices(in payload: String) -> [DeviceID]? {
        let ids = payload.split(separator: ",").map { Hex.decode(String($0)).flatMap(DeviceID.init(bytes:)) }
        return ids.contains(nil) ? nil : ids.compactMap(\.self)
    }
}
