import Synchronization

/// A cache of bounded weight that drops values which were not used for long.
///
/// It has two generations. A value that is used moves into the recent one. When that is full it becomes the older one, and the older one
/// before it is dropped.
struct TwoGenerationCache<Key: Hashable, Value> {
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private var recentWeight = 0
    /// The weight of one generation.
    private let limit: Int
    private let weigh: @Sendable (Value) -> Int

    /// - Parameter limit: the approximate weight of both generations together.
    init(limit: Int, weigh: @escaping @Sendable (Value) -> Int) { (self.limit, self.weigh) = (limit / 2, weigh) }

    mutating func value(for key: Key) -> Value? {
        if let value = recent[key] { return value }
        guard let value = older[key] else { return nil }
        add(value, for: key)
        return value
    }

    mutating func add(_ value: Value, for key: Key) {
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

    func removeAll() { for shard in shards { shard.table.withLock { $0.removeAll() } } }
}
