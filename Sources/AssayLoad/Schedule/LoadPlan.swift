/// How a load is sent: the schedule is fixed before the first call, and no answer changes it.
package struct LoadPlan: Hashable, Sendable {
    /// Calls in a second, over all operations.
    package var rate: Double
    /// How long calls are measured.
    package var duration: Duration
    /// How long calls are sent before, at the same rate, that are not measured.
    package var warmUp: Duration
    package var arrivals: ArrivalSchedule.Spacing
    /// Of Poisson arrivals: equal seeds make equal schedules.
    package var seed: UInt64
    /// The most calls that wait for an answer at a time. An arrival beyond it is counted as not sent.
    package var inFlight: Int
    /// A call that was sent so long after its intended time counts as late: the generator, or its machine, did not keep up.
    package var lateAfter: Duration

    package init(
        rate: Double, duration: Duration, warmUp: Duration = .zero, arrivals: ArrivalSchedule.Spacing = .constant,
        seed: UInt64 = .random(in: 0...(.max)), inFlight: Int, lateAfter: Duration = .milliseconds(10)
    ) {
        (self.rate, self.duration, self.warmUp) = (rate, duration, warmUp)
        (self.arrivals, self.seed, self.inFlight, self.lateAfter) = (arrivals, seed, inFlight, lateAfter)
    }
}
