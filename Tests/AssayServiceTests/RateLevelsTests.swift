import AssayCore
import AssayTesting
import Synchronization
import Testing

@testable import AssayService

/// A clock in microseconds that a test moves.
final class MovedClock: Sendable {
    private let state: Mutex<Int64>
    init(_ start: Int64 = 1_000_000_000) { state = Mutex(start) }
    var now: Int64 { state.withLock { $0 } }
    func advance(seconds: Int64) { state.withLock { $0 += seconds * 1_000_000 } }
    func set(_ time: Int64) { state.withLock { $0 = time } }
}

@Suite("Levels of rate limits over a restart")
struct RateLevelsTests {
    private static let secret = [UInt8](repeating: 7, count: 32)
    private let key = KeyedHash(secret: secret).of(1, 2, 3, 4)

    private func buckets(_ clock: MovedClock, secret: [UInt8] = secret) -> RateBuckets {
        RateBuckets(secret: secret, places: 256) { clock.now }
    }

    /// Levels of a daemon in which a device has used its one token in an hour.
    private func used(_ clock: MovedClock) throws -> [UInt8] {
        let buckets = buckets(clock)
        #expect(buckets.table(.device).take(key, try #require(RateRule("1/h")), at: clock.now) == nil)
        return buckets.levels()
    }

    @Test("what was used stays used, and refills by the time that has passed")
    func survives() throws {
        let clock = MovedClock()
        let levels = try used(clock)
        clock.advance(seconds: 600)
        let next = buckets(clock)
        #expect(next.restore(levels) == 1)
        let rule = try #require(RateRule("1/h"))
        #expect(next.table(.device).wait(key, rule, at: clock.now) == 3_000_000_000)
        #expect(next.table(.address).wait(key, rule, at: clock.now) == nil, "each limit has its own")
    }

    @Test("after a start of the machine only the time since then counts: the wall clock gives nothing")
    func reboot() throws {
        let clock = MovedClock(9_000_000_000)
        let levels = try used(clock)
        clock.set(60_000_000)
        let next = buckets(clock)
        #expect(next.restore(levels) == 1)
        #expect(next.table(.device).wait(key, try #require(RateRule("1/h")), at: clock.now) == 3_540_000_000)
    }

    @Test("every damaged file is recognised, and leaves all buckets full")
    func damaged() throws {
        let clock = MovedClock()
        let levels = try used(clock)
        let next = buckets(clock)
        for index in levels.indices {
            var changed = levels
            changed[index] ^= 1
            #expect(next.restore(changed) == nil)
        }
        for length in 0..<levels.count { #expect(next.restore(Array(levels.prefix(length))) == nil) }
        #expect(next.restore(levels + [0]) == nil && next.restore([]) == nil)
        #expect(buckets(clock, secret: [8]).restore(levels) == nil, "of another ledger")
        #expect(next.table(.device).wait(key, try #require(RateRule("1/h")), at: clock.now) == nil)
        #expect(next.restore(levels) == 1)
    }

    @Test("the file has no name and no address in it")
    func secrecy() throws {
        let clock = MovedClock()
        let buckets = buckets(clock)
        let app = try #require(AppID("camera"))
        let address = try #require(SourceAddress(text: "192.0.2.1".utf8))
        let rates = AppRates(caller: RateRule("1/h"), app: RateRule("1/h"), address: RateRule("1/h"), device: RateRule("1/h"))
        let limits = try #require(
            RateLimits(caller: RateRule("1/h"), apps: [app: rates], buckets: buckets, counters: VerdictCounters()))
        let device = DeviceID.random()
        #expect(limits.charge(.verdicts, .demo, app, address, at: clock.now) == nil)
        #expect(limits.charge(device, of: app) == nil)
        let levels = buckets.levels()
        #expect(levels.count == 15 + 8 + 5 * 25 + 32)
        for secret in [Array("camera".utf8), Array("loopback-demo".utf8), [192, 0, 2, 1], [0xFF, 0xFF, 192, 0], device.bytes] {
            #expect(!levels.indices.contains { levels[$0...].starts(with: secret) })
        }
    }

    @Test("nothing is to be written where nothing was charged")
    func changes() throws {
        let clock = MovedClock()
        let buckets = buckets(clock)
        #expect(!buckets.takeChanged())
        _ = buckets.table(.app).take(key, try #require(RateRule("1/h")), at: clock.now)
        #expect(buckets.takeChanged() && !buckets.takeChanged())
    }
}
