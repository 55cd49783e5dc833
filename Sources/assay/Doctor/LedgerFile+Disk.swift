import AssayConfiguration
import AssayCore
import AssayDoctor
import Foundation

extension InstallationFacts.LedgerFile {
    /// The ledger's file as it lies on this machine; `nil` for a ledger in a database, and where this user may not look.
    init?(of store: FixedConfiguration.Store) {
        guard let path = store.file else { return nil }
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        guard let space = DiskSpace(at: folder) else { return nil }
        self.init(
            path: path, size: Self.size(of: path), writeAheadLog: Self.size(of: path + "-wal"),
            space: space, rule: store.disk)
    }

    private static func size(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
}
