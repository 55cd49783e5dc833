import Foundation

/// The intended times of calls, counted from the beginning. They depend on no answer: that is what makes the loop an open one.
package struct ArrivalSchedule: Sequence, Sendable {
    package enum Spacing: String, CaseIterable, Sendable {
        /// All gaps are equal.
        case constant
        /// Gaps are exponential, as between requests of many independent users.
        case poisson
    }

    let rate: Double
    let length: Duration
    let spacing: Spacing
    let seed: UInt64

    /// - Parameters:
    ///   - rate: calls in a second, more than 0.
    ///   - length: no call is intended at it or after it.
    package init(rate: Double, length: Duration, spacing: Spacing, seed: UInt64 = 0) {
        (self.rate, self.length, self.spacing, self.seed) = (rate, length, spacing, seed)
    }

    /// The times of a plan, warm-up included.
    package init(_ plan: LoadPlan) {
        self.init(rate: plan.rate, length: plan.warmUp + plan.duration, spacing: plan.arrivals, seed: plan.seed)
    }

    package func makeIterator() -> Iterator { Iterator(schedule: self, numbers: SplitMix(seed: seed)) }

    package struct Iterator: IteratorProtocol {
        fileprivate let schedule: ArrivalSchedule
        fileprivate var numbers: SplitMix
        private var count = 0.0
        private var seconds = 0.0

        fileprivate init(schedule: ArrivalSchedule, numbers: SplitMix) {
            (self.schedule, self.numbers) = (schedule, numbers)
        }

        package mutating func next() -> Duration? {
            switch schedule.spacing {
            case .constant: seconds = count / schedule.rate
            // The inverse of the exponential distribution; the logarithm's argument is never 0.
            case .poisson: seconds -= log(1 - Double.random(in: 0..<1, using: &numbers)) / schedule.rate
            }
            count += 1
            let time = Duration.seconds(seconds)
            return time < schedule.length ? time : nil
        }
    }
}

/// SplitMix64: the numbers of a seed are the same on every machine, in every version.
struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
