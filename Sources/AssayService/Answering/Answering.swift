import AssayAPI
package import AssayCore
import AssayMetrics
import AssayRPC
import AssayTracing
import Logging

/// Gives verdicts: the one place that charges and names a request, judges it, and tells those who follow what it came to. Services read requests
/// and map answers to messages.
package struct Answering: Sendable {
    private let pipeline: VerificationPipeline
    private let rates: RateLimits?
    private let clock: any WallClock
    private let followers: [any AnswerFollower]
    private let names = RequestIDGenerator()

    /// - Parameter followers: told of each answer, in this order.
    package init(
        pipeline: VerificationPipeline, rates: RateLimits? = nil, clock: any WallClock, followers: [any AnswerFollower]
    ) {
        (self.pipeline, self.rates, self.clock, self.followers) = (pipeline, rates, clock, followers)
    }

    // MARK: Requests

    /// The instant at which a group of requests is charged: one look at the clock for all of them.
    func chargingTime() -> Int64 { rates?.buckets.now() ?? 0 }

    /// Charges a caller, the app and the client's address with a request. Throws if one of them has no token left.
    func charge(
        _ use: RateBuckets.Use, _ caller: Caller, _ app: AppID, _ address: SourceAddress?, at time: Int64
    ) throws(RPCError) {
        guard let refusal = rates?.charge(use, caller, app, address, at: time) else { return }
        throw RPCError(refusal)
    }

    /// Charges a request for a verdict, and gives it a name.
    ///
    /// - Parameter time: of ``chargingTime()``.
    func admit(
        _ request: consuming VerificationRequest, _ profile: AppProfile, of caller: Caller, step: (any AcceptanceStep)? = nil,
        trace: CallTrace?, at time: Int64, isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) throws(RPCError) -> AuthorizedRequest {
        try charge(.verdicts, caller, request.app, request.sourceAddress, at: time)
        return AuthorizedRequest(
            request: request, profile: profile, caller: caller, now: clock.now(), requestID: names.next(), step: step,
            trace: trace, isAbandoned: isAbandoned)
    }

    // MARK: Answers

    /// One answer for each request, in order.
    ///
    /// - Parameter traceNames: what a log line names the trace of a call by, at its request's place.
    func answer(
        _ requests: [AuthorizedRequest], traceNames: @escaping @Sendable (Int) -> Logger.Metadata = { _ in [:] }
    ) async -> [Answer] {
        let begun = MonotonicTime.nanoseconds()
        let answers = await pipeline.judge(requests)
        let took = MonotonicTime.nanoseconds() &- begun
        rates?.giveBackUncounted(requests, answers)
        var group = AnsweredRequests(requests: requests, answers: answers, nanoseconds: took, traceNames: traceNames)
        for follower in followers { await follower.follow(&group) }
        return group.answers
    }

    // MARK: Devices of fleets

    /// Tells what a request to provision a device of a fleet came to, which has no evidence to be judged.
    ///
    /// - Parameter begun: of `MonotonicTime`, when the work on it began.
    func answered(_ caller: Caller, _ app: AppProfile, by result: ProvisioningOutcome.Result, since begun: UInt64) {
        if case .repeated = result { rates?.giveBack(.verdicts, caller, app.id, nil) }
        let request = VerdictRecord.Request(
            id: names.next(), time: clock.now(), caller: caller.name, app: app.id, purpose: .provision,
            formats: [.fleetDevice])
        let outcome = ProvisioningOutcome(
            request: request, policyDigest: app.policyDigest, result: result,
            nanoseconds: MonotonicTime.nanoseconds() &- begun)
        for follower in followers { follower.follow(outcome) }
    }
}
