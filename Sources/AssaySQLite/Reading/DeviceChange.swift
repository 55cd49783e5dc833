import AssayCore

/// What a transaction did to a device that may be held in memory.
enum DeviceChange {
    case advanced(LedgerEntry.Advance, at: Timestamp)
    /// Changed in another way, or forgotten: read it again.
    case unclear(DeviceID)
}
