import AssayCore
import AssayVendors

extension FuzzTarget {
    static func statusList(_ bytes: [UInt8]) {
        guard let list = try? AttestationStatusList(parsing: bytes[...]) else { return }
        let feed = FeedVersion(name: "fuzz", id: "", asOf: now)
        let snapshot = RevocationSnapshot(feed: feed, bySerial: list.entries, oddEntries: list.oddEntries)
        for (serial, entry) in snapshot.inOrder {
            _ = SerialNumber.magnitude(hexadecimal: SerialNumber.hexadecimal(serial))
            _ = snapshot[[0] + serial].map { $0.status.text + entry.reason }
        }
    }
}
