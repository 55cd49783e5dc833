/// A table of bounded weight that lets go of what was not asked for.
///
/// Two generations: what is asked for moves into the recent one; when that is full it becomes the older one, and what
/// was not asked for since is forgotten.
struct TwoGenerationCache<Key: Hashable, Value> {
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private var recentWeight = 0
    /// The weight of one generation.
    private let limit: Int
    private let weigh: @Sendable (Value) -> Int

    /// `limit`: what both generations may weigh together, roughly.
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

    /// Changes what is here in place; it is removed if `body` returns false. `body` keeps its weight.
    mutating func change(_ key: Key, _ body: (inout Value) -> Bool) {
        var isKept = true
        // Held twice, it is changed twice: either may be asked for later.
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
