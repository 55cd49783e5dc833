import AssayAPI
import AssayCore
import AssayMetrics
package import AssayRPC
package import AssayTracing
import Logging

/// A method as one configuration serves it: its body, and around it what every call needs. A call is
///
/// 1. counted,
/// 2. authorised by its peer and the method's roles,
/// 3. decoded, and its fields read,
/// 4. authorised by the app that it names,
/// 5. kept waiting for its turn, if the method takes turns,
/// 6. handed to the body,
/// 7. if anything of this fails: answered by an `RPCError`, which is logged and counted.
///
/// `answer(_:)` does this for the methods that answer each call by itself, `CallBatch` for the hot ones.
final class ServedMethod: Sendable {
    let declaration: MethodDeclaration
    let work: MethodBody.Work
    let authorizer: CallAuthorizer
    private let limiter: ConcurrencyLimiter
    private let counter: CallCounters.Counter
    let tracer: Tracer
    let callers: CallerCounters

    init(
        _ body: MethodBody, authorizer: CallAuthorizer, limiter: ConcurrencyLimiter, counter: CallCounters.Counter,
        tracer: Tracer, callers: CallerCounters
    ) {
        (declaration, work) = (body.declaration, body.work)
        (self.authorizer, self.limiter, self.counter, self.tracer) = (authorizer, limiter, counter, tracer)
        self.callers = callers
    }

    /// The serialised answer.
    func answer(_ call: RPCCall, _ read: MethodBody.Unary) async throws(RPCError) -> [UInt8] {
        counter.began(1)
        var trace: CallTrace?
        do {
            let caller = try authorizer.caller(call.peer, calling: declaration)
            callers.count(1, of: caller.name)
            if tracer.isOn { trace = tracer.begin(call, of: declaration, by: caller.name) }
            let work = try read(call, caller, authorizer)
            let answer: [UInt8]
            if let trace {
                answer = try await ActiveSpan.$current.withValue(trace.root) { try await perform(work, call) }
            } else {
                answer = try await perform(work, call)
            }
            durations.record(call.received.duration(to: .now).wholeNanoseconds)
            trace?.endAnswered()
            return answer
        } catch {
            let error = RPCError(thrown: error)
            note(error, of: call, trace)
            trace?.end(failing: error)
            throw error
        }
    }

    private func perform(
        _ work: @escaping @Sendable () async throws -> [UInt8], _ call: RPCCall
    ) async throws -> [UInt8] {
        guard declaration.takesTurns else { return try await work() }
        return try await limiter.pass(call) { () async throws(RPCError) in
            do { return try await work() } catch { throw RPCError(thrown: error) }
        }
    }

    /// Answers a call by a stream. Its length says nothing of the daemon, so it is not timed.
    func stream(
        _ call: RPCCall, _ writer: RPCStreamWriter, _ caller: StreamCaller, _ body: MethodBody.Stream
    ) async -> RPCError? {
        counter.began(1)
        do {
            _ = try authorizer.caller(call.peer, calling: declaration)
            try await body(call, writer, caller)
            return nil
        } catch {
            let error = RPCError(thrown: error)
            note(error, of: call, nil)
            return error
        }
    }

    /// The times of the calls that were answered without an error.
    var durations: Histogram { counter.durations }

    func batch(_ calls: [RPCCall]) -> CallBatch {
        counter.began(calls.count)
        return CallBatch(calls, of: self)
    }

    /// Logs and counts an error that answers a call.
    ///
    /// - Parameter names: what the log calls the request by.
    func note(
        _ error: RPCError, _ names: @autoclosure () -> Logger.Metadata = [:], of call: RPCCall, _ trace: CallTrace?
    ) {
        authorizer.requestLog.failed(
            declaration.path, error, names().merging(call.traceNames(trace), uniquingKeysWith: { own, _ in own }))
        counter.failed(error.code)
    }
}

/// The methods as one configuration has them: its callers, apps, policies and anchors, and nothing of another's.
package struct ServedMethods: Sendable {
    package let authorizer: CallAuthorizer
    /// In the order of `MethodDeclaration.all`; `nil` where a method has no body.
    private let methods: [ServedMethod?]

    /// - Parameters:
    ///   - bodies: one for each declared method.
    ///   - limiter: for the methods that take turns.
    package init(
        _ bodies: [MethodBody], authorizer: CallAuthorizer, limiter: ConcurrencyLimiter, counters: CallCounters,
        tracer: Tracer = Tracer(), callers: CallerCounters = CallerCounters()
    ) {
        self.authorizer = authorizer
        methods = zip(MethodDeclaration.all, counters.counters).map { declaration, counter in
            bodies.first { $0.declaration == declaration }.map {
                ServedMethod($0, authorizer: authorizer, limiter: limiter, counter: counter, tracer: tracer, callers: callers)
            }
        }
    }

    /// The methods that have a body, with their positions.
    var enumerated: [(position: Int, method: ServedMethod)] {
        methods.enumerated().compactMap { position, method in method.map { (position, $0) } }
    }

    /// The method at a position of `MethodDeclaration.all`.
    subscript(position: Int) -> ServedMethod? { methods[position] }
}
