import AssayCore
import Synchronization

/// Device records in memory, up to about a number of bytes.
///
/// What is here may be older than the file only where another process wrote to it. That is harmless: a commit rechecks
/// counters and blocks, counters only rise, and a blocked device is never kept here, so that lifting its block is seen.
///
/// Names and records lie in tables of their own. A name may be known or forgotten whatever becomes of the record: that of a
/// forgotten device leads nowhere until its key is read again.
final class DeviceCache: Sendable {
    private let names: ShardedTable<DeviceKey, DeviceID>
    private let devices: ShardedTable<DeviceID, Device>
    /// Counts publications; see `insert`.
    private let epoch = Atomic<UInt64>(0)

    init(bytes: Int) {
        names = ShardedTable(limit: bytes / 8, spread: { $0.keyID.last ?? 0 }, weigh: { _ in 128 })
        devices = ShardedTable(limit: bytes, spread: { $0.bytes.last ?? 0 }, weigh: \.approximateBytes)
    }

    /// The device if it is here, and the epoch to give to `insert` if it is not.
    func device(_ key: DeviceKey) -> (device: Device?, epoch: UInt64) {
        let epoch = epoch.load(ordering: .acquiring)
        guard let name = names.withTable(of: key, { $0.value(for: key) }) else { return (nil, epoch) }
        return (devices.withTable(of: name) { $0.value(for: name) }, epoch)
    }

    /// Keeps a device that was read after `epoch` was taken, unless something was published since: then what was read
    /// may be older than that.
    func insert(_ device: Device, readAfter epoch: UInt64) {
        guard !device.isBlocked else { return }
        names.withTable(of: device.key) { $0.add(device.id, for: device.key) }
        devices.withTable(of: device.id) { table in
            // Under the lock: whoever publishes counts first and takes the lock then. So either the count is seen here, or
            // what is added here is seen there.
            if self.epoch.load(ordering: .acquiring) == epoch { table.add(device, for: device.id) }
        }
    }

    /// Follows a transaction that was committed, before anybody hears of it.
    func publish(_ changes: [DeviceChange], othersWrote: Bool) {
        epoch.add(1, ordering: .acquiringAndReleasing)
        if othersWrote { devices.removeAll() }
        for change in changes {
            switch change {
            case .unclear(let id): devices.withTable(of: id) { $0.remove(id) }
            case .advanced(let advance, let time):
                devices.withTable(of: advance.device) { table in
                    table.change(advance.device) { $0.follow(advance, at: time) }
                }
            }
        }
    }

    func clear() { publish([], othersWrote: true) }
}

extension Device {
    /// Repeats what the ledger did. False if it could not have been done to this record: the record was stale.
    fileprivate mutating func follow(_ advance: LedgerEntry.Advance, at time: Timestamp) -> Bool {
        let state = CounterState(counter: counter, window: counterWindow)
        guard let next = try? state.advanced(to: advance.counter, rule: advance.rule) else { return false }
        (counter, counterWindow) = (next.counter, next.window)
        lastAcceptedAt = max(lastAcceptedAt, time)
        return true
    }

    /// Heap bytes, with a round sum for the objects themselves.
    fileprivate var approximateBytes: Int {
        let claims = registration.claims.all.count * 160
        let serials = registration.chainSerials.reduce(0) { $0 + $1.count + 48 }
        return 1000 + claims + serials + registration.receipt.count + registration.publicKey.count
    }
}
