/// The bounds on the calls of all fronts together.
package struct CallLimits: Hashable, Sendable {
    /// Calls of one caller in flight, on all its connections. Beyond it: RESOURCE_EXHAUSTED, `too_many_calls`. The default is half
    /// of ``maxInFlightTotal``.
    package var maxInFlightPerCaller = 2048
    /// Calls in flight. Beyond it: RESOURCE_EXHAUSTED, `overloaded`. The last sixteenth is reserved for callers with few calls. The
    /// default is 200 ms of work at 20,000 verdicts a second.
    package var maxInFlightTotal = 4096
    /// Bytes of all calls in flight, and of requests that have arrived in part. Beyond it a call is answered `overloaded`. The last
    /// sixteenth is reserved for callers that hold little.
    package var maxHeldBytesTotal = 256 << 20

    package init() {}
}
