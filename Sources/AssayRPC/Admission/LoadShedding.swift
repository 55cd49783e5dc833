/// Refusing calls that would wait in vain.
///
/// While calls wait for processors, the queue tells how long a further one of its caller would wait. A call whose deadline is before
/// that, or one without a deadline that would wait longer than ``CallLimits/maxWait``, is refused at once: its client learns it in
/// time to do something else, and no work is done for an answer that comes too late. The wait is the caller's own: a flood of one
/// caller makes its own calls wait, and is what is shed. Expensive calls are shed before cheap ones, since a call counts by its cost.
extension ServingState {
    /// Refuses the calls of a chunk of one session that would not be worked on in time. Returns the others.
    func shed(_ chunk: [RPCCall], of session: RPCSession, to destination: any CallDestination) -> [RPCCall] {
        guard let wait = queue.expectedWait(of: session.usage, cost: chunk.cost) else { return chunk }
        let end = ContinuousClock.now.advanced(by: wait)
        var kept: [RPCCall] = []
        var refusal: RPCError?
        for call in chunk {
            guard end > call.deadline ?? call.received.advanced(by: limits.maxWait) else {
                kept.append(call)
                continue
            }
            let error = refusal ?? .overloaded(wait)
            refusal = error
            call.fail(error)
            refused(because: error.reason, session.peer, session.identity)
        }
        if refusal != nil { destination.flush() }
        return kept
    }
}

extension [RPCCall] {
    /// What the calls of one chunk cost in the queue.
    var cost: Int { reduce(0) { $0 + CallQueue.callCost + $1.message.count } }
}

extension RPCError {
    /// For a call that would wait too long.
    fileprivate static func overloaded(_ wait: Duration) -> RPCError {
        let milliseconds = UInt32(clamping: Int64(wait / .milliseconds(1)))
        return RPCError(
            .resourceExhausted,
            "the call would wait about \(Duration.milliseconds(milliseconds)) for its turn, longer than its deadline allows",
            reason: overloaded.reason, retryAfterMilliseconds: Swift.min(Swift.max(milliseconds, 100), 30_000))
    }
}
