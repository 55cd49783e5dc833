import Testing

@testable import AssayLoad

@Suite("Schedule of a load")
struct ScheduleTests {
    @Test("Constant arrivals are equally far apart, and none is at the end", arguments: [0.5, 3, 50, 1000])
    func constant(_ rate: Double) {
        let times = Array(ArrivalSchedule(rate: rate, length: .seconds(10), spacing: .constant))
        #expect(times.count == Int(rate * 10) && times.first == .zero)
        #expect(times.indices.allSatisfy { (times[$0].seconds - Double($0) / rate).magnitude < 1e-6 })
        #expect(times.allSatisfy { $0 < .seconds(10) })
    }

    @Test("Poisson arrivals are those of their seed, rise, and have exponential gaps")
    func poisson() {
        func times(_ seed: UInt64) -> [Duration] {
            Array(ArrivalSchedule(rate: 200, length: .seconds(100), spacing: .poisson, seed: seed))
        }
        let one = times(7)
        #expect(one == times(7) && one != times(8))
        #expect(zip(one, one.dropFirst()).allSatisfy { $0 < $1 } && one.allSatisfy { $0 < .seconds(100) })
        // 20,000 of them: their number's deviation is 141.
        #expect((19_000...21_000).contains(one.count))
        let gaps = zip(one, one.dropFirst()).map { ($1 - $0).seconds * 200 }
        let longer = Double(gaps.count { $0 > 1 }) / Double(gaps.count)
        #expect((0.35...0.39).contains(longer), "of exponential gaps 1/e are longer than the mean, and here \(longer)")
    }

    @Test(
        "Each run of as many calls as the weights' sum has exactly the shares",
        arguments: [[1], [8, 1, 1], [1, 1], [5, 3, 2], [1, 99], [7, 7, 7, 1]])
    func shares(_ weights: [Int]) {
        var turns = LoadMix.Turns(LoadMix(weights: weights))
        let sum = weights.reduce(0, +)
        for _ in 0..<3 {
            let run = (0..<sum).map { _ in turns.next() }
            #expect(weights.indices.map { index in run.count { $0 == index } } == weights, "\(run)")
        }
    }

    @Test("Equal operations are spread, not sent in a row")
    func spread() {
        var turns = LoadMix.Turns(LoadMix(weights: [2, 2]))
        let run = (0..<8).map { _ in turns.next() }
        #expect(zip(run, run.dropFirst()).allSatisfy { $0 != $1 }, "\(run)")
    }
}
