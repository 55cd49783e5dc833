import Synchronization

/// Tables of equal rank, each behind a lock of its own, so that those who ask for different keys seldom meet.
final class ShardedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private final class Shard: Sendable {
        let table: Mutex<TwoGenerationCache<Key, Value>>
        init(_ table: sending TwoGenerationCache<Key, Value>) { self.table = Mutex(table) }
    }

    private let shards: [Shard]
    private let spread: @Sendable (Key) -> UInt8

    static var count: Int { 16 }

    /// `limit`: what all together may weigh, roughly. `spread`: a byte of the key in which keys differ.
    init(limit: Int, spread: @escaping @Sendable (Key) -> UInt8, weigh: @escaping @Sendable (Value) -> Int) {
        shards = (0..<Self.count).map { _ in Shard(TwoGenerationCache(limit: limit / Self.count, weigh: weigh)) }
        self.spread = spread
    }

    /// The one table in which the key is, if it is in any. Nobody else reads or writes it meanwhile.
    func withTable<Result: Sendable>(of key: Key, _ body: (inout TwoGenerationCache<Key, Value>) -> Result) -> Result {
        shards[Int(spread(key)) % Self.count].table.withLock { body(&$0) }
    }

    func removeAll() { for shard in shards { shard.table.withLock { $0.removeAll() } } }
}
