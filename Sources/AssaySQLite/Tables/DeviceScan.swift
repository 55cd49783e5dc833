import AssayCore

/// One page of the devices of an app, found by an index in the order of registration.
enum DeviceScan {
    /// Records that one page looks at, so that a rare state in a large app costs many short reads and not a long one.
    static let lookLimit = 10_000

    static func page(_ listing: DeviceListing, _ connection: SQLiteConnection) throws(SQLiteFailure) -> DevicePage {
        // Operators list: nothing is kept prepared.
        let scan = try SQLiteStatement(
            connection,
            DeviceRow.selection
                + " WHERE devices.app = ?1 AND number > ?2" + (listing.subject == nil ? "" : " AND subject = ?4")
                + " ORDER BY number LIMIT ?3")
        scan.bind(1, listing.app.text)
        scan.bind(2, listing.position)
        scan.bind(3, Int64(lookLimit))
        if let subject = listing.subject { scan.bind(4, subject) }
        var devices: [Device] = []
        var looked = 0
        var hasMore = false
        var last = listing.position
        try scan.forEach { row throws(SQLiteFailure) in
            guard devices.count < listing.limit else {
                hasMore = true
                return false
            }
            looked += 1
            last = DeviceRow.number(row)
            if listing.isBlocked ?? DeviceRow.isBlocked(row) == DeviceRow.isBlocked(row) {
                devices.append(try DeviceRow.device(row))
            }
            return true
        }
        return DevicePage(devices: devices, next: hasMore || looked >= lookLimit ? last : nil)
    }
}
