import AssayCore
import Synchronization

/// Token buckets of one kind of key, in a fixed number of places, so that keys from outside cannot take memory without bound.
///
/// A bucket is stored as the time at which it is full again. One that is full needs no place. A key has 16 places that it may take,
/// which it shares with others; what tells them is a secret hash, so that no sender can choose keys that share places. Where all 16 are
/// taken by buckets that are not full, the one that would be full first gives its place up: its key has a full bucket again, so that it
/// gets at most one burst more. Up to a quarter of the places in use that practically does not happen.
final class BucketTable: Sendable {
    typealias Key = KeyedHash.Value

    /// A place. `fullAt` in microseconds of the clock that the callers pass in.
    struct Place: Sendable {
        var key: Key
        var fullAt: Int64

        static let free = Place(key: Key(first: 0, second: 0), fullAt: .min)
    }

    /// A part of the places with a lock of its own. The memory is taken at the first use.
    final class Shard: Sendable {
        let places = Mutex<[Place]>([])
    }

    /// Places that a key may take.
    static let ways = 16
    private static let shardCount = 16

    private let shards = (0..<shardCount).map { _ in Shard() }
    private let setsOfShard: Int
    private let changed = Atomic(false)

    /// - Parameter places: rounded up to a multiple of 256.
    init(places: Int) { setsOfShard = max(1, (places + Self.ways * Self.shardCount - 1) / (Self.ways * Self.shardCount)) }

    /// The number of places.
    var places: Int { setsOfShard * Self.ways * Self.shardCount }

    /// Takes a token. Returns the time until there is one, in microseconds, if there is none.
    func take(_ key: Key, _ rule: RateRule, at now: Int64) -> Int64? {
        if !changed.load(ordering: .relaxed) { changed.store(true, ordering: .relaxed) }
        return withPlaces(of: key) { places, set in
            let (index, isKnown) = Self.find(key, in: places, set, now)
            let missing = isKnown ? Self.missing(places[index], rule, now) : 0
            guard missing + rule.interval <= rule.capacity else { return missing + rule.interval - rule.capacity }
            places[index] = Place(key: key, fullAt: now + missing + rule.interval)
            return nil
        }
    }

    /// The time until the bucket has a token, in microseconds; `nil`: it has one. It takes none.
    func wait(_ key: Key, _ rule: RateRule, at now: Int64) -> Int64? {
        let wait = missing(key, rule, at: now) + rule.interval - rule.capacity
        return wait > 0 ? wait : nil
    }

    /// The time in which the bucket will be full, in microseconds.
    func missing(_ key: Key, _ rule: RateRule, at now: Int64) -> Int64 {
        withPlaces(of: key) { places, set in
            let (index, isKnown) = Self.find(key, in: places, set, now)
            return isKnown ? Self.missing(places[index], rule, now) : 0
        }
    }

    /// Gives a token back that was taken for something that did not happen.
    func giveBack(_ key: Key, _ rule: RateRule) {
        withPlaces(of: key) { places, set in
            for index in set where places[index].key == key && places[index].fullAt != .min {
                places[index].fullAt -= rule.interval
            }
        }
    }

    /// What is missing in a bucket. Never more than its capacity, which a reload may have made smaller.
    private static func missing(_ place: Place, _ rule: RateRule, _ now: Int64) -> Int64 {
        // `.min` and times long ago are below any time that is missing.
        place.fullAt <= now ? 0 : min(place.fullAt - now, rule.capacity)
    }

    /// The key's place, or the one that it may take.
    private static func find(_ key: Key, in places: [Place], _ set: Range<Int>, _ now: Int64) -> (index: Int, isKnown: Bool) {
        var first = set.lowerBound
        for index in set {
            if places[index].key == key, places[index].fullAt != .min { return (index, true) }
            if places[index].fullAt < places[first].fullAt { first = index }
        }
        return (first, false)
    }

    private func withPlaces<T: Sendable>(of key: Key, _ work: (inout [Place], Range<Int>) -> T) -> T {
        let shard = shards[Int(truncatingIfNeeded: key.first & UInt64(Self.shardCount - 1))]
        let set = Int(truncatingIfNeeded: (key.first >> 8) % UInt64(setsOfShard)) * Self.ways
        return shard.places.withLock { places in
            if places.isEmpty { places = Array(repeating: .free, count: setsOfShard * Self.ways) }
            return work(&places, set..<set + Self.ways)
        }
    }

    // MARK: Keeping

    /// Whether a token was taken since this was asked last.
    func takeChanged() -> Bool { changed.exchange(false, ordering: .relaxed) }

    /// Buckets to which at least `least` microseconds are missing, each with what is missing.
    func entries(missing least: Int64, at now: Int64) -> [(key: Key, missing: Int64)] {
        shards.flatMap { shard in
            shard.places.withLock { places in
                // Not `fullAt - now`, which overflows for a free place.
                places.compactMap { $0.fullAt >= now + least ? ($0.key, $0.fullAt - now) : nil }
            }
        }
    }

    /// Puts a bucket back. Of two for one key the emptier counts.
    func restore(_ key: Key, missing: Int64, at now: Int64) {
        guard missing > 0 else { return }
        withPlaces(of: key) { places, set in
            let (index, isKnown) = Self.find(key, in: places, set, now)
            places[index] = Place(key: key, fullAt: max(isKnown ? places[index].fullAt : .min, now + missing))
        }
    }
}
