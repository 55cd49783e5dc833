package import AssayCore
import AssayMetrics
import Synchronization

/// A cache of device records, bounded by their size in bytes.
///
/// A record can be older than the store only if another process wrote to it. That is harmless: a commit checks counters and blocks
/// again, counters only rise, and blocked devices are never cached, so that the end of a block is seen. What no commit checks, such as
/// the risk metric and flags, is as old as `lifetime` allows.
///
/// Ids by key, and records by id, are in separate tables. The id of a removed device may stay: it has no record then.
package final class DeviceCache: Sendable {
    private struct Held {
        var device: Device
        /// The end of its use, in nanoseconds of the monotonic clock.
        let end: UInt64
    }

    private let names: ShardedTable<DeviceKey, DeviceID>
    private let devices: ReadCache<DeviceID, Held>
    /// How long a record is used, in nanoseconds; `nil`: as long as it fits.
    private let lifetime: UInt64?

    /// - Parameter lifetime: how long a record is used, in nanoseconds, where other processes write; `nil`: as long as it fits.
    package init(bytes: Int, lifetime: UInt64? = nil) {
        self.lifetime = lifetime
        names = ShardedTable(limit: bytes / 8, spread: { $0.keyID.last ?? 0 }, weigh: { _ in 128 })
        devices = ReadCache(bytes: bytes, spread: { $0.bytes.last ?? 0 }, weigh: \.device.approximateBytes)
    }

    /// The device, if it is cached, and the epoch to pass to `insert` if it is not.
    package func device(_ key: DeviceKey) -> (device: Device?, epoch: UInt64) {
        let epoch = devices.epoch
        guard let name = names.withTable(of: key, { $0.value(for: key) }) else { return (nil, epoch) }
        return (held(name), epoch)
    }

    /// The devices of some keys, in their order: those that are cached, and the others as `read` finds them.
    package func devices(
        of keys: [DeviceKey], _ read: ([DeviceKey]) async -> [Result<Device?, LedgerError>]
    ) async -> [Result<Device?, LedgerError>] {
        var found: [Result<Device?, LedgerError>] = []
        found.reserveCapacity(keys.count)
        var missing: [Int] = []
        // A transaction that is published from here on keeps all that is read out of the cache.
        let epoch = devices.epoch
        for (index, key) in keys.enumerated() {
            let (held, _) = device(key)
            if held == nil { missing.append(index) }
            found.append(.success(held))
        }
        guard !missing.isEmpty else { return found }
        for (index, device) in zip(missing, await read(missing.map { keys[$0] })) {
            if case .success(let device?) = device { insert(device, readAfter: epoch) }
            found[index] = device
        }
        return found
    }

    /// The same for a look-up by id.
    package func device(_ id: DeviceID) -> (device: Device?, epoch: UInt64) {
        let epoch = devices.epoch
        return (held(id), epoch)
    }

    private func held(_ id: DeviceID) -> Device? {
        guard let held = devices.cached(id) else { return nil }
        return held.end == .max || MonotonicTime.nanoseconds() < held.end ? held.device : nil
    }

    /// Caches a device that was read after `epoch`, unless a transaction was published since: the record may be older than it.
    package func insert(_ device: Device, readAfter epoch: UInt64) {
        guard !device.isBlocked else { return }
        let held = Held(device: device, end: lifetime.map { MonotonicTime.nanoseconds() &+ $0 } ?? .max)
        names.withTable(of: device.key) { $0.add(device.id, for: device.key) }
        devices.insert(held, for: device.id, readAfter: epoch)
    }

    /// Applies the changes of a committed transaction, before its callers are answered.
    package func publish(_ changes: [DeviceChange], othersWrote: Bool) {
        devices.publish(othersWrote: othersWrote)
        for change in changes {
            switch change {
            case .unclear(let id): devices.remove(id)
            case .touched(let id, let time):
                devices.change(id) { held in
                    held.device.lastAcceptedAt = max(held.device.lastAcceptedAt, time)
                    return true
                }
            case .advanced(let advance, let time):
                devices.change(advance.device) { $0.device.follow(advance, at: time) }
            case .counted(let id, let state, let time):
                devices.change(id) { held in
                    held.device.follow(state, at: time)
                    return true
                }
            }
        }
    }

    package func clear() { publish([], othersWrote: true) }

    /// Look-ups that found a record, and those that did not.
    package var lookUps: (hits: UInt64, misses: UInt64) {
        let (names, devices) = (names.lookUps, devices.lookUps)
        return (devices.hits, devices.misses + names.misses)
    }
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

    /// Follows to a state that the store has. The record may have been read from a later one.
    fileprivate mutating func follow(_ state: CounterState, at time: Timestamp) {
        if state.counter > counter {
            (counter, counterWindow) = (state.counter, state.window)
        } else if state.counter == counter {
            counterWindow |= state.window
        }
        lastAcceptedAt = max(lastAcceptedAt, time)
    }

    /// The approximate heap size, in bytes. 1000 stands for the objects themselves.
    fileprivate var approximateBytes: Int {
        // With what their verifier may keep of them (`Registration.facts`).
        let claims = registration.claims.all.count * 240
        let serials = registration.chainSerials.reduce(0) { $0 + $1.count + 48 }
        return 1000 + claims + serials + registration.receipt.count + registration.publicKey.count + flags.count * 500
    }
}

/// A change of a device that may be cached.
package enum DeviceChange {
    case advanced(LedgerEntry.Advance, at: Timestamp)
    /// The counter has a state that the transaction stored, or found.
    case counted(DeviceID, CounterState, at: Timestamp)
    /// Evidence without a counter was accepted, and the time of the last acceptance is all that changed.
    case touched(DeviceID, at: Timestamp)
    /// Another change, or removal: the record must be read again.
    case unclear(DeviceID)
}

/// A cache of bounded weight that drops values which were not used for long.
///
/// It has two generations. A value that is used moves into the recent one. When that is full it becomes the older one, and the older one
/// before it is dropped.
struct TwoGenerationCache<Key: Hashable, Value> {
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private var recentWeight = 0
    /// Look-ups that found a value, and those that did not.
    private(set) var hits: UInt64 = 0
    private(set) var misses: UInt64 = 0
    /// The weight of one generation.
    private let limit: Int
    private let weigh: @Sendable (Value) -> Int

    /// - Parameter limit: the approximate weight of both generations together; with 0 nothing is held.
    init(limit: Int, weigh: @escaping @Sendable (Value) -> Int) { (self.limit, self.weigh) = (limit / 2, weigh) }

    mutating func value(for key: Key) -> Value? {
        if let value = recent[key] {
            hits &+= 1
            return value
        }
        guard let value = older[key] else {
            misses &+= 1
            return nil
        }
        hits &+= 1
        add(value, for: key)
        return value
    }

    mutating func add(_ value: Value, for key: Key) {
        guard limit > 0 else { return }
        if let replaced = recent.updateValue(value, forKey: key) { recentWeight -= weigh(replaced) }
        recentWeight += weigh(value)
        guard recentWeight > limit else { return }
        older = recent
        recent = [:]
        recentWeight = 0
    }

    /// Changes a cached value in place, and removes it if `body` returns false. `body` must not change its weight.
    mutating func change(_ key: Key, _ body: (inout Value) -> Bool) {
        var isKept = true
        // A value can be in both generations, and either may be read later.
        if let index = recent.index(forKey: key) { isKept = body(&recent.values[index]) }
        if let index = older.index(forKey: key) { isKept = body(&older.values[index]) && isKept }
        if !isKept { remove(key) }
    }

    mutating func remove(_ key: Key) {
        if let removed = recent.removeValue(forKey: key) { recentWeight -= weigh(removed) }
        older.removeValue(forKey: key)
    }

    mutating func removeAll() {
        recent = [:]
        older = [:]
        recentWeight = 0
    }
}

/// A cache in shards with a lock each, so that concurrent calls for different keys seldom wait for each other.
final class ShardedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Shard: Sendable {
        let table: Mutex<TwoGenerationCache<Key, Value>>
        init(_ table: sending TwoGenerationCache<Key, Value>) { self.table = Mutex(table) }
    }

    private let shards: [Shard]
    private let spread: @Sendable (Key) -> UInt8

    static var count: Int { 16 }

    /// - Parameters:
    ///   - limit: the approximate weight of all shards together.
    ///   - spread: a byte in which keys differ.
    init(limit: Int, spread: @escaping @Sendable (Key) -> UInt8, weigh: @escaping @Sendable (Value) -> Int) {
        shards = (0..<Self.count).map { _ in Shard(TwoGenerationCache(limit: limit / Self.count, weigh: weigh)) }
        self.spread = spread
    }

    /// Runs `body` with the shard of a key, under its lock.
    func withTable<Result: Sendable>(of key: Key, _ body: (inout TwoGenerationCache<Key, Value>) -> Result) -> Result {
        shards[Int(spread(key)) % Self.count].table.withLock { body(&$0) }
    }

    /// Of all shards together.
    var lookUps: (hits: UInt64, misses: UInt64) {
        shards.reduce((0, 0)) { sum, shard in
            shard.table.withLock { (sum.0 &+ $0.hits, sum.1 &+ $0.misses) }
        }
    }

    func removeAll() { for shard in shards { shard.table.withLock { $0.removeAll() } } }
}
