import AssayCore
import AssayTesting
import Synchronization
import Testing

@testable import AssayService

@Suite("Sampling of floods")
struct FloodSamplerTests {
    private let start = VerdictRecord.sampleTime

    private func kind(_ reason: String, _ caller: String = "uploads") throws -> FloodSampler.Kind {
        FloodSampler.Kind(app: try #require(AppID("camera")), caller: caller, reason: reason)
    }

    @Test("The first of a minute are recorded each, then one stands for many, and the sum is exact at any number")
    func sums() throws {
        for number in [0, 1, 9, 10, 11, 12, 19, 20, 21, 1000, 1009] as [Int64] {
            var (sampler, kept) = (FloodSampler(full: 10, length: 7), [VerdictRecord]())
            for _ in 0..<number { sampler.take(try kind("a"), at: start, into: &kept) { .sample() } }
            let inFlood = max(0, number - 10)
            #expect(kept.count == min(number, 10) + inFlood / 7)
            #expect(kept.prefix(10).allSatisfy { $0.standsFor == 1 } && kept.dropFirst(10).allSatisfy { $0.standsFor == 7 })
            kept += sampler.settle(at: start)
            #expect(kept.reduce(0) { $0 + $1.standsFor } == number)
            #expect(sampler.settle(at: start).isEmpty, "a run is given away once")
        }
    }

    @Test("Kinds are counted apart, by app, caller and reason")
    func kinds() throws {
        var (sampler, kept) = (FloodSampler(full: 2, length: 100), [VerdictRecord]())
        for _ in 0..<5 {
            sampler.take(try kind("a"), at: start, into: &kept) { .sample(code: "a") }
            sampler.take(try kind("b"), at: start, into: &kept) { .sample(code: "b") }
            sampler.take(try kind("a", "other"), at: start, into: &kept) { .sample(caller: "other", code: "a") }
        }
        #expect(kept.count == 6)
        kept += sampler.settle(at: start)
        #expect(kept.count == 9 && kept.filter { $0.standsFor == 3 }.count == 3)
    }

    @Test(
        "A window ends after a minute, and when the clock is set back: its run is given away, and verdicts are recorded each again"
    )
    func windows() throws {
        for later in [60_000, 3_600_000, -1] as [Int64] {
            var (sampler, kept) = (FloodSampler(full: 1, length: 100), [VerdictRecord]())
            for _ in 0..<4 { sampler.take(try kind("a"), at: start, into: &kept) { .sample() } }
            #expect(sampler.settle(at: start.adding(milliseconds: 59_999), keeping: true).isEmpty)
            sampler.take(try kind("a"), at: start.adding(milliseconds: later), into: &kept) { .sample() }
            #expect(kept.map(\.standsFor) == [1, 3, 1])
        }
    }

    @Test("The table of kinds is bounded: verdicts of further kinds are recorded each, and ended windows make room")
    func bound() throws {
        var (sampler, kept) = (FloodSampler(full: 1, length: 100), [VerdictRecord]())
        for number in 0..<FloodSampler.kindLimit { sampler.take(try kind("\(number)"), at: start, into: &kept) { .sample() } }
        #expect(kept.count == FloodSampler.kindLimit)
        for _ in 0..<5 { sampler.take(try kind("one more"), at: start, into: &kept) { .sample() } }
        #expect(kept.count == FloodSampler.kindLimit + 5)
        kept = []
        for _ in 0..<5 { sampler.take(try kind("one more"), at: start.adding(milliseconds: 60_000), into: &kept) { .sample() } }
        #expect(kept.count == 1)
    }
}
