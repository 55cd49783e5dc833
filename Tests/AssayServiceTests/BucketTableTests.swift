import AssayCore
import AssayTesting
import Testing

@testable import AssayService

@Suite("Token buckets")
struct BucketTableTests {
    private static let hour: Int64 = 3_600_000_000
    private static let start: Int64 = 5_000_000_000

    private func rule(_ text: String) throws -> RateRule { try #require(RateRule(text)) }
    private static let hash = KeyedHash(secret: [1])
    private func key(_ number: UInt64) -> BucketTable.Key { Self.hash.of(number, 0, 0, 0) }

    @Test("a bucket gives its burst at once, then one token in each interval, and says when the next one comes")
    func refill() throws {
        let (table, rule) = (BucketTable(places: 256), try rule("10/h burst 3"))
        for _ in 0..<3 { #expect(table.take(key(1), rule, at: Self.start) == nil) }
        #expect(table.take(key(1), rule, at: Self.start) == Self.hour / 10)
        #expect(table.take(key(2), rule, at: Self.start) == nil, "another key has its own")
        #expect(table.take(key(1), rule, at: Self.start + 60_000_000) == Self.hour / 10 - 60_000_000)
        #expect(table.take(key(1), rule, at: Self.start + Self.hour / 10) == nil)
        #expect(table.take(key(1), rule, at: Self.start + Self.hour / 10) != nil)
    }

    @Test("no bucket gives more than its burst and its rate, however it is asked", arguments: 0..<20)
    func bound(_ seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let rule = try #require(
            RateRule(Int.random(in: 1...50, using: &numbers), per: .minute, burst: Int.random(in: 1...50, using: &numbers)))
        let table = BucketTable(places: 256)
        var (now, taken) = (Self.start, 0)
        for _ in 0..<2000 {
            now += Int64.random(in: 0...3_000_000, using: &numbers)
            let wait = table.wait(key(1), rule, at: now)
            let refusal = table.take(key(1), rule, at: now)
            #expect(wait == refusal, "asking tells what taking does")
            if refusal == nil { taken += 1 }
            if let refusal { #expect(refusal > 0 && table.wait(key(1), rule, at: now + refusal) == nil) }
            #expect(Int64(taken) <= Int64(rule.burst) + (now - Self.start) / rule.interval)
        }
        #expect(taken > 1)
    }

    @Test("asking takes no token, and a token that is given back can be taken again")
    func givingBack() throws {
        let (table, rule) = (BucketTable(places: 256), try rule("1/h"))
        for _ in 0..<5 { #expect(table.wait(key(1), rule, at: Self.start) == nil) }
        #expect(table.take(key(1), rule, at: Self.start) == nil)
        #expect(table.wait(key(1), rule, at: Self.start) == Self.hour)
        table.giveBack(key(1), rule)
        #expect(table.take(key(1), rule, at: Self.start) == nil)
        // Of a bucket that was never used nothing is given back.
        table.giveBack(key(2), rule)
        #expect(table.take(key(2), rule, at: Self.start) == nil && table.take(key(2), rule, at: Self.start) != nil)
    }

    @Test("under another rate a bucket keeps what was used, and is empty at most")
    func anotherRule() throws {
        let table = BucketTable(places: 256)
        for _ in 0..<10 { _ = table.take(key(1), try rule("10/h"), at: Self.start) }
        // An hour is missing, and the new bucket is full after 12 minutes: the next token comes after 36 s.
        #expect(table.take(key(1), try rule("100/h burst 20"), at: Self.start) == 36_000_000)
    }

    @Test("keys beyond the places cost the bucket that is full first, which gives its key one burst more at most")
    func places() throws {
        let (table, rule) = (BucketTable(places: 256), try rule("1/h"))
        let keys = (0..<10_000).map { key($0) }
        var taken = [Int](repeating: 0, count: keys.count)
        for (index, key) in keys.enumerated() where table.take(key, rule, at: Self.start + Int64(index)) == nil {
            taken[index] += 1
        }
        #expect(taken.allSatisfy { $0 == 1 }, "no new key is refused because of others")
        #expect(table.entries(missing: 1, at: Self.start).count == 256)
        // The younger ones hold the places.
        #expect(table.wait(keys[9999], rule, at: Self.start + 10_000) != nil)
        #expect(table.wait(keys[0], rule, at: Self.start + 10_000) == nil)
    }

    @Test("full buckets give their places up first")
    func fullOnes() throws {
        let table = BucketTable(places: 256)
        let (short, long) = (try rule("10/s"), try rule("1/h"))
        for number in 0..<40 { _ = table.take(key(UInt64(number)), long, at: Self.start) }
        // These are full again after 100 ms.
        for number in 1000..<5000 {
            #expect(table.take(key(UInt64(number)), short, at: Self.start + Int64(number) * 200_000) == nil)
        }
        for number in 0..<40 { #expect(table.wait(key(UInt64(number)), long, at: Self.start + 1_100_000_000) != nil) }
    }

    @Test("up to a quarter of the places in use, no bucket loses its place")
    func quarter() throws {
        let (table, rule) = (BucketTable(places: 65_536), try rule("1/h"))
        for number in 0..<16_384 { _ = table.take(key(UInt64(number)), rule, at: Self.start) }
        #expect(table.entries(missing: 1, at: Self.start).count == 16_384)
    }

    @Test("of racing takes exactly as many succeed as there are tokens")
    func race() async throws {
        let (table, rule, key) = (BucketTable(places: 256), try rule("100/h"), key(1))
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<50).count { _ in table.take(key, rule, at: Self.start) == nil } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 100)
    }
}

@Suite("Keyed hash")
struct KeyedHashTests {
    @Test("SipHash-2-4 gives the value of its authors' example")
    func example() {
        // Appendix A of the paper: the key 00 … 0f and the input 00 … 0e.
        var state = SipHash(SIMD2(0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
        state.add(0x0706_0504_0302_0100)
        #expect(state.finish(0x0F0E_0D0C_0B0A_0908) == 0xA129_CA61_49BE_45E5)
    }

    @Test("equal inputs under one secret are equal, and nothing else is")
    func distinct() {
        let hash = KeyedHash(secret: [1])
        #expect(hash.of(1, 2, 3, 4) == KeyedHash(secret: [1]).of(1, 2, 3, 4))
        let values: [KeyedHash.Value] =
            [
                hash.of(1, 2, 3, 4), hash.of(1, 2, 4, 3), hash.of(0, 2, 3, 4), KeyedHash(secret: [2]).of(1, 2, 3, 4),
                hash.of(1, ""), hash.of(2, ""),
            ] + (1...40).map { hash.of(1, String(repeating: "a", count: $0)) } + [hash.of(1, "a\u{0}"), hash.of(1, "b")]
        #expect(Set(values).count == values.count)
        #expect(Set(values.map(\.first)).count == values.count && Set(values.map(\.second)).count == values.count)
        #expect(values.allSatisfy { $0.first != $0.second })
    }
}
