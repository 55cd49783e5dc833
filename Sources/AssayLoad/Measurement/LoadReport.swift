/// What a load measured.
package struct LoadReport: Sendable {
    /// The calls of one kind that were measured.
    package struct Operation: Sendable {
        package let name: String
        /// Of all calls, from 0 to 1.
        package let share: Double
        /// Arrivals, sent or not.
        package internal(set) var scheduled: UInt64 = 0
        package internal(set) var notSent: [NotSent: UInt64] = [:]
        package internal(set) var expected: UInt64 = 0
        /// How often each answer came.
        package internal(set) var answers: [String: UInt64] = [:]
        /// From the intended time of each call: what a user waits, the time behind a server that stalls included.
        package internal(set) var latency = LatencyHistogram()
        /// From the time when each call was sent.
        package internal(set) var serviceTime = LatencyHistogram()

        init(name: String, share: Double) { (self.name, self.share) = (name, share) }

        package var sent: UInt64 { answers.values.reduce(0, +) }
        package var unexpected: UInt64 { sent - expected }
        package var notSentCount: UInt64 { notSent.values.reduce(0, +) }

        mutating func count(_ answer: CallAnswer, latency: Duration, serviceTime: Duration) {
            answers[answer.word, default: 0] += 1
            if answer.isExpected { expected += 1 }
            guard answer.isTimed else { return }
            self.latency.record(latency)
            self.serviceTime.record(serviceTime)
        }
    }

    /// The calls before, which are not measured. What went wrong with them is told.
    package struct WarmUp: Sendable {
        package internal(set) var scheduled: UInt64 = 0
        package internal(set) var sent: UInt64 = 0
        package internal(set) var notSent: UInt64 = 0
        package internal(set) var unexpected: [String: UInt64] = [:]
    }

    package let plan: LoadPlan
    package let operations: [Operation]
    /// How much later than intended calls were sent.
    package let sendDelay: LatencyHistogram
    /// Calls that were sent later than the plan's `lateAfter`.
    package let late: UInt64
    package let warmUp: WarmUp
    /// Of what is measured: until the end of the schedule, or of the last call.
    package let elapsed: Duration
    package let isInterrupted: Bool

    package var scheduled: UInt64 { operations.reduce(0) { $0 + $1.scheduled } }
    package var sent: UInt64 { operations.reduce(0) { $0 + $1.sent } }
    package var expected: UInt64 { operations.reduce(0) { $0 + $1.expected } }
    /// Calls that were answered as expected, in a second.
    package var achievedRate: Double { elapsed > .zero ? Double(expected) / elapsed.seconds : 0 }
    /// Of the arrivals those that were not answered as expected, or not sent; from 0 to 1.
    package var failedShare: Double { scheduled == 0 ? 0 : Double(scheduled - expected) / Double(scheduled) }
}

/// What a load must come to.
package struct LoadExpectations: Hashable, Sendable {
    /// The most of the arrivals that may be not sent, or answered otherwise than expected, from 0 to 1.
    package var failedShare: Double
    /// Percentile, and the latency that it may not exceed, of each operation.
    package var latencies: [Bound]

    package struct Bound: Hashable, Sendable {
        /// From 0 to 100.
        package let percentile: Double
        package let limit: Duration

        package init(percentile: Double, limit: Duration) { (self.percentile, self.limit) = (percentile, limit) }
    }

    package init(failedShare: Double = 0, latencies: [Bound] = []) {
        (self.failedShare, self.latencies) = (failedShare, latencies)
    }

    /// What a load did not come to, in sentences; empty: it is as expected.
    package func failures(of report: LoadReport) -> [String] {
        var failures: [String] = []
        if report.isInterrupted { failures.append("it was interrupted") }
        if report.scheduled == 0 { failures.append("no call was measured") }
        if report.failedShare > failedShare {
            let share = (report.failedShare * 100).decimals(3)
            failures.append(
                "\(report.scheduled - report.expected) of \(report.scheduled) calls (\(share) %) were not answered as expected or "
                    + "not sent; allowed are \((failedShare * 100).decimals(3)) %")
        }
        for operation in report.operations where operation.scheduled > 0 {
            for bound in latencies {
                let name = "\(operation.name): p\(bound.percentile.decimals(2))"
                guard !operation.latency.isEmpty else {
                    failures.append("\(name) is not known: no call was answered")
                    continue
                }
                let value = operation.latency.value(at: bound.percentile)
                if value > bound.limit {
                    failures.append(
                        "\(name) is \(value.milliseconds.decimals(3)) ms; allowed are \(bound.limit.milliseconds.decimals(3)) ms"
                    )
                }
            }
        }
        return failures
    }
}

extension Double {
    /// At most so many decimals, without zeros at the end.
    package func decimals(_ count: Int) -> String {
        var factor = 1.0
        for _ in 0..<count { factor *= 10 }
        guard magnitude < 1e12 else { return "\(self)" }
        let scaled = Int64((magnitude * factor).rounded())
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int64(factor))
        let sign = self < 0 && scaled > 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(rest)
        digits = String(repeating: "0", count: count - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}
