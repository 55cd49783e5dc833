import Synchronization

/// A cache of what was read from a store, bounded by its size in bytes.
///
/// What it holds is never older than the last transaction that was published:
///
/// - ``value(for:)`` gives an epoch with each answer, and ``insert(_:for:readAfter:)`` refuses what was read before a transaction that is
///   published since.
/// - A transaction is published after it is durable and before its callers are answered: ``publish(othersWrote:)`` first, then its changes, by
///   ``change(_:_:)``, ``set(_:for:)`` and ``remove(_:)``. So one who was told of a change never meets a value from before it.
/// - A value can be read between a commit and its publication, and be changed by it once more. Changes have the same result then, or remove
///   the value.
final class ReadCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let table: ShardedTable<Key, Value>
    /// The number of publications.
    private let published = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - bytes: the limit; with 0 nothing is held.
    ///   - spread: a byte in which keys differ.
    ///   - weigh: the approximate size of a value in memory, in bytes.
    init(bytes: Int, spread: @escaping @Sendable (Key) -> UInt8, weigh: @escaping @Sendable (Value) -> Int) {
        table = ShardedTable(limit: bytes, spread: spread, weigh: weigh)
    }

    /// To be read before a value is looked for: see ``insert(_:for:readAfter:)``.
    var epoch: UInt64 { published.load(ordering: .acquiring) }

    /// The value, if it is cached, and the epoch to pass to ``insert(_:for:readAfter:)`` if it is not.
    func value(for key: Key) -> (value: Value?, epoch: UInt64) {
        let epoch = epoch
        return (cached(key), epoch)
    }

    func cached(_ key: Key) -> Value? { table.withTable(of: key) { $0.value(for: key) } }

    /// Caches a value that was read after `epoch`, unless a transaction was published since: the value may be older than it.
    func insert(_ value: Value, for key: Key, readAfter epoch: UInt64) {
        table.withTable(of: key) { table in
            // Under the lock: a publication raises the epoch before it takes the lock. So either the new epoch is seen here, or the value
            // that is added here is seen there.
            if self.epoch == epoch { table.add(value, for: key) }
        }
    }

    // MARK: Publication

    /// Begins the publication of a transaction.
    ///
    /// - Parameter othersWrote: whether another process changed the store, so that nothing in the cache can be trusted.
    func publish(othersWrote: Bool) {
        published.add(1, ordering: .acquiringAndReleasing)
        if othersWrote { table.removeAll() }
    }

    /// Changes a cached value in place, and removes it if `body` returns false. `body` must not change its weight.
    func change(_ key: Key, _ body: (inout Value) -> Bool) { table.withTable(of: key) { $0.change(key, body) } }

    /// Caches a value that the published transaction has made.
    func set(_ value: Value, for key: Key) { table.withTable(of: key) { $0.add(value, for: key) } }

    func remove(_ key: Key) { table.withTable(of: key) { $0.remove(key) } }

    /// Look-ups that found a value, and those that did not.
    var lookUps: (hits: UInt64, misses: UInt64) { table.lookUps }
}
