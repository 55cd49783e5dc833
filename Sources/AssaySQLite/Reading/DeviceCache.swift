import AssayCore
import Synchronization

/// A cache of device records, bounded by their size in bytes.
///
/// A record can be older than the file only if another process wrote to it. That is harmless: a commit checks counters and blocks
/// again, counters only rise, and blocked devices are never cached, so that the end of a block is seen.
///
/// Ids by key, and records by id, are in separate tables. The id of a removed device may stay: it has no record then.
final class DeviceCache: Sendable {
    private let names: ShardedTable<DeviceKey, DeviceID>
    private let devices: ShardedTable<DeviceID, Device>
    /// The number of publications; see `insert`.
    private let epoch = Atomic<UInt64>(0)

    init(bytes: Int) {
        names = ShardedTable(limit: bytes / 8, spread: { $0.keyID.last ?? 0 }, weigh: { _ in 128 })
        devices = ShardedTable(limit: bytes, spread: { $0.bytes.last ?? 0 }, weigh: \.approximateBytes)
    }

    /// The device, if it is cached, and the epoch to pass to `insert` if it is not.
    func device(_ key: DeviceKey) -> (device: Device?, epoch: UInt64) {
        let epoch = epoch.load(ordering: .acquiring)
        guard let name = names.withTable(of: key, { $0.value(for: key) }) else { return (nil, epoch) }
        return (devices.withTable(of: name) { $0.value(for: name) }, epoch)
    }

    /// Caches a device that was read after `epoch`, unless a transaction was published since: the record may be older than it.
    func insert(_ device: Device, readAfter epoch: UInt64) {
        guard !device.isBlocked else { return }
        names.withTable(of: device.key) { $0.add(device.id, for: device.key) }
        devices.withTable(of: device.id) { table in
            // Under the lock: `publish` raises the epoch before it takes the lock. So either the new epoch is seen here, or the record
            // that is added here is seen there.
            if self.epoch.load(ordering: .acquiring) == epoch { table.add(device, for: device.id) }
        }
    }

    /// Applies the changes of a committed transaction, before its callers are answered.
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
    /// Repeats an advance of the ledger. False if it does not apply to this record, which is outdated then.
    fileprivate mutating func follow(_ advance: LedgerEntry.Advance, at time: Timestamp) -> Bool {
        let state = CounterState(counter: counter, window: counterWindow)
        guard let next = try? state.advanced(to: advance.counter, rule: advance.rule) else { return false }
        (counter, counterWindow) = (next.counter, next.window)
        lastAcceptedAt = max(lastAcceptedAt, time)
        return true
    }

    /// The approximate heap size, in bytes. 1000 stands for the objects themselves.
    fileprivate var approximateBytes: Int {
        let claims = registration.claims.all.count * 160
        let serials = registration.chainSerials.reduce(0) { $0 + $1.count + 48 }
        return 1000 + claims + serials + registration.receipt.count + registration.publicKey.count
    }
}

/// A change of a device that may be cached.
enum DeviceChange {
    case advanced(LedgerEntry.Advance, at: Timestamp)
    /// Another change, or removal: the record must be read again.
    case unclear(DeviceID)
}
