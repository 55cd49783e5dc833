import AssayAPI
import AssayCore
import AssayMetrics
import AssayRPC
import AssayTracing
import Logging
import SwiftProtobuf

/// Calls of one hot method that came together.
///
/// A body gets at a call only once its caller is authorised. Calls that are refused are answered, logged and counted here.
struct CallBatch: Sendable {
    private let calls: [RPCCall]
    private let method: ServedMethod

    init(_ calls: [RPCCall], of method: ServedMethod) { (self.calls, self.method) = (calls, method) }

    /// The calls, those included whose answer is not awaited any more.
    var count: Int { calls.count }

    // The closures below run for each request: they are inlined into the body, which is in this module.

    /// Makes the answer to each call by itself, in order; the answers are given together, which is cheaper than one by one.
    ///
    /// - Parameters:
    ///   - answer: reads the request, and returns the serialised response.
    ///   - beforehand: called when all answers are made, before they are given.
    @inline(__always)
    func answerEach(_ answer: (AuthorizedCall) throws(RPCError) -> [UInt8], beforehand: () -> Void) {
        var replies: [RPCCall.Answer] = []
        replies.reserveCapacity(calls.count)
        var traces: [CallTrace] = []
        var permit = Permit()
        let begun = ContinuousClock.now
        for call in calls where !call.isAbandoned(at: begun) {
            var trace: CallTrace?
            do throws(RPCError) {
                let authorized = try authorize(call, &permit)
                trace = authorized.trace
                replies.append((call, .success(try answer(authorized))))
                if let trace { traces.append(trace) }
            } catch {
                fail(call, error, trace)
            }
        }
        var durations = CallDurations(method.durations)
        for (call, _) in replies { durations.record(call) }
        durations.flush()
        beforehand()
        RPCCall.answer(replies)
        for trace in traces { trace.endAnswered() }
        count(permit)
    }

    /// Reads each call, for a body that answers them together.
    @inline(__always)
    func reading<Request>(_ read: (AuthorizedCall) throws(RPCError) -> Request) -> RequestBatch<Request> {
        var batch = RequestBatch<Request>(method)
        batch.reserve(calls.count)
        var permit = Permit()
        let begun = ContinuousClock.now
        for call in calls where !call.isAbandoned(at: begun) {
            var trace: CallTrace?
            do throws(RPCError) {
                let authorized = try authorize(call, &permit)
                trace = authorized.trace
                batch.append(try read(authorized), of: call, trace)
            } catch {
                fail(call, error, trace)
            }
        }
        count(permit)
        return batch
    }

    /// What the calls of a batch are authorised by: they are of one session, and so of one caller, which is looked up once.
    private struct Permit {
        /// `nil` before a call was authorised.
        var caller: Caller?
        /// Calls that were authorised.
        var calls = 0
    }

    @inline(__always)
    private func authorize(_ call: RPCCall, _ permit: inout Permit) throws(RPCError) -> AuthorizedCall {
        let caller: Caller
        if let known = permit.caller {
            caller = known
        } else {
            caller = try method.authorizer.caller(call.peer, calling: method.declaration)
            permit.caller = caller
        }
        permit.calls += 1
        let trace = method.tracer.isOn ? method.tracer.begin(call, of: method.declaration, by: caller.name) : nil
        return AuthorizedCall(caller: caller, trace: trace, call: call, method: method)
    }

    private func count(_ permit: Permit) {
        if let caller = permit.caller { method.callers.count(permit.calls, of: caller.name) }
    }

    private func fail(_ call: RPCCall, _ error: RPCError, _ trace: CallTrace?) {
        method.note(error, of: call, trace)
        call.fail(error)
        trace?.end(failing: error)
    }
}

/// A call of a batch whose caller may make it. What the request says is authorised by `profile(of:)` and `require(_:)`.
struct AuthorizedCall {
    let caller: Caller
    /// `nil` for a call that is not traced.
    let trace: CallTrace?
    fileprivate let call: RPCCall
    fileprivate let method: ServedMethod

    /// The serialised request.
    var message: [UInt8] { call.message }

    /// The request as a message. Throws INVALID_ARGUMENT, `undecodable_message`, for bytes that are none.
    func decode<Request: SwiftProtobuf.Message>(_ type: Request.Type) throws(RPCError) -> Request { try call.decode(type) }

    /// Whether the call was cancelled or its deadline has passed, to ask while it is worked on.
    var isAbandoned: @Sendable () -> Bool { { [call] in call.isAbandoned } }

    /// The app of the request, if it is configured and the caller may use it.
    func profile(of app: AppID) throws(RPCError) -> AppProfile { try method.authorizer.profile(of: app, for: caller) }

    /// Denies the call unless the caller has this role too.
    func require(_ role: Role) throws(RPCError) {
        try method.authorizer.require(role, of: caller, calling: method.declaration)
    }
}

/// Requests of a batch, each with the call that waits for its answer.
struct RequestBatch<Request: Sendable>: Sendable {
    private(set) var requests: [Request] = []
    private var calls: [RPCCall] = []
    /// The traces of the calls that are traced, by the call's place.
    private var traces: [Int: CallTrace] = [:]
    private let method: ServedMethod

    fileprivate init(_ method: ServedMethod) { self.method = method }

    fileprivate mutating func reserve(_ count: Int) {
        requests.reserveCapacity(count)
        calls.reserveCapacity(count)
    }

    fileprivate mutating func append(_ request: Request, of call: RPCCall, _ trace: CallTrace?) {
        if let trace { traces[calls.count] = trace }
        requests.append(request)
        calls.append(call)
    }

    /// Whether some of the calls are traced.
    var isTraced: Bool { !traces.isEmpty }

    /// What log lines name the trace of a call by, at its request's place.
    func traceNames(at index: Int) -> Logger.Metadata {
        calls.indices.contains(index) ? calls[index].traceNames(traces[index]) : [:]
    }

    /// The same calls, each with what its request becomes. Requests are mapped one after the other.
    func mapping(_ transform: (Request) async -> Request) async -> RequestBatch {
        var mapped = self
        for (index, request) in requests.enumerated() { mapped.requests[index] = await transform(request) }
        return mapped
    }

    /// Each request that `isAlone` as a batch of its own, and the others together.
    func separating(_ isAlone: (Request) -> Bool) -> (alone: [RequestBatch], others: RequestBatch) {
        var (alone, others) = ([RequestBatch](), RequestBatch(method))
        for (index, (request, call)) in zip(requests, calls).enumerated() {
            guard isAlone(request) else {
                others.append(request, of: call, traces[index])
                continue
            }
            var batch = RequestBatch(method)
            batch.append(request, of: call, traces[index])
            alone.append(batch)
        }
        return (alone, others)
    }

    /// Answers all calls together, which is cheaper than one by one.
    ///
    /// - Parameters:
    ///   - answers: one for each request, in their order.
    ///   - names: what the log calls a request by that could not be answered.
    ///   - message: the serialised response; `nil` for a call that was abandoned, which gets no answer.
    @inline(__always)
    func answer<Answer>(
        _ answers: [Answer], names: (Request) -> Logger.Metadata,
        _ message: (Request, Answer) -> Result<[UInt8], RPCError>?
    ) {
        var replies: [RPCCall.Answer] = []
        replies.reserveCapacity(answers.count)
        var durations = CallDurations(method.durations)
        var endings: [Int: RPCError?] = [:]
        for index in calls.indices.prefix(answers.count) {
            guard let message = message(requests[index], answers[index]) else { continue }
            switch message {
            case .success: durations.record(calls[index])
            case .failure(let error): method.note(error, names(requests[index]), of: calls[index], traces[index])
            }
            if isTraced { endings.updateValue(message.error, forKey: index) }
            replies.append((calls[index], message))
        }
        durations.flush()
        RPCCall.answer(replies)
        if isTraced { endTraces(endings) }
    }

    /// After the answers, which do not wait for it.
    ///
    /// - Parameter endings: the error of each call that was answered, `nil` for none.
    private func endTraces(_ endings: [Int: RPCError?]) {
        for (index, trace) in traces {
            switch endings[index] {
            case .some(.none): trace.endAnswered()
            case .some(.some(let error)): trace.end(failing: error)
            case .none: trace.end(failing: calls[index].abandonment)
            }
        }
    }
}

/// How long calls took until now: one look at the clock for all of them, and one division for those that came in one read.
private struct CallDurations: ~Copyable {
    private var run: Histogram.Run
    private let now = ContinuousClock.now
    private var last: (received: ContinuousClock.Instant, nanoseconds: UInt64)

    init(_ histogram: Histogram) {
        run = Histogram.Run(histogram)
        last = (now, 0)
    }

    mutating func record(_ call: RPCCall) {
        if call.received != last.received {
            last = (call.received, call.received.duration(to: now).wholeNanoseconds)
        }
        run.record(last.nanoseconds)
    }

    /// Adds what was gathered. Call it at the end.
    mutating func flush() { run.flush() }
}

extension Result where Failure == RPCError {
    fileprivate var error: RPCError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
