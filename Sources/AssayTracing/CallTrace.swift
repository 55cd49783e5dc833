import AssayMetrics
import Synchronization

/// The spans of one call that is traced. They are handed to the queue when the call is answered.
package final class CallTrace: Sendable {
    /// Spans below that of the call; further ones are not kept. A call has about ten.
    static let childLimit = 64

    package let traceID: TraceID
    /// Of the call's span.
    package let spanID: SpanID
    private let name: String
    private let parent: TraceParent?
    private let traceState: TraceState?
    private let queue: SpanQueue
    /// When the call was received, of the monotonic clock in nanoseconds.
    private let begun: UInt64
    /// What is added to the monotonic clock for nanoseconds since 1970. Read once, so that a step of the clock changes no duration.
    private let offset: UInt64

    private struct State {
        var children: [Span] = []
        var attributes: [SpanAttribute] = []
        var isEnded = false
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - now: the monotonic clock, in nanoseconds.
    ///   - received: nanoseconds that have passed since the call was received.
    init(
        _ name: String, _ traceID: TraceID, below parent: TraceParent? = nil, state: TraceState? = nil, now: UInt64,
        received: UInt64, into queue: SpanQueue
    ) {
        (self.name, self.traceID, self.parent, traceState) = (name, traceID, parent, state)
        (self.queue, spanID) = (queue, .random())
        begun = now &- received
        offset = WallTime.nanoseconds() &- now
    }

    /// The call's span, for spans below it.
    package var root: ActiveSpan { ActiveSpan(trace: self, id: spanID) }

    /// Adds attributes to the call's span.
    package func note(_ attributes: [SpanAttribute]) { state.withLock { $0.attributes += attributes } }

    /// Adds a span below another one of this call.
    ///
    /// - Parameters:
    ///   - parent: the call's span by default.
    ///   - start: of the monotonic clock, in nanoseconds.
    package func add(
        _ name: String, _ kind: Span.Kind = .internal, id: SpanID = .random(), below parent: SpanID? = nil,
        from start: UInt64, to end: UInt64, _ status: Span.Status = .unset, _ attributes: [SpanAttribute] = []
    ) {
        let span = Span(
            traceID: traceID, id: id, parent: parent ?? spanID, parentIsRemote: false, state: "", name: name, kind: kind,
            start: start &+ offset, end: max(start, end) &+ offset, status: status, attributes: attributes)
        state.withLock { state in
            if state.children.count < Self.childLimit, !state.isEnded { state.children.append(span) }
        }
    }

    /// The call is answered. What comes later is not kept.
    package func end(
        _ status: Span.Status = .unset, _ attributes: [SpanAttribute] = [], at now: UInt64 = MonotonicTime.nanoseconds()
    ) {
        let kept = state.withLock { state -> State? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            defer { state.children = [] }
            return state
        }
        guard let kept else { return }
        let span = Span(
            traceID: traceID, id: spanID, parent: parent?.spanID, parentIsRemote: parent != nil, state: traceState?.text ?? "",
            name: name, kind: .server, start: begun &+ offset, end: max(begun, now) &+ offset, status: status,
            attributes: kept.attributes + attributes)
        queue.append([span] + kept.children)
    }
}

/// A span that is not over: spans of the work in it stand below it.
package struct ActiveSpan: Sendable {
    /// The span of the work that the task does now. Not set on the path of assertions, whose stages know their traces.
    @TaskLocal package static var current: ActiveSpan?

    package let trace: CallTrace
    package let id: SpanID

    /// Begins a span below this one.
    package func open(_ name: String, _ kind: Span.Kind = .internal) -> OpenSpan {
        OpenSpan(trace: trace, parent: id, name: name, kind: kind)
    }
}

/// A span below that of a call, from its beginning to its end.
package struct OpenSpan: Sendable {
    private let trace: CallTrace
    private let parent: SpanID
    private let id = SpanID.random()
    private let name: String
    private let kind: Span.Kind
    private let begun = MonotonicTime.nanoseconds()

    fileprivate init(trace: CallTrace, parent: SpanID, name: String, kind: Span.Kind) {
        (self.trace, self.parent, self.name, self.kind) = (trace, parent, name, kind)
    }

    /// For spans below this one.
    package var active: ActiveSpan { ActiveSpan(trace: trace, id: id) }

    package func end(_ status: Span.Status = .unset, _ attributes: [SpanAttribute] = []) {
        trace.add(name, kind, id: id, below: parent, from: begun, to: MonotonicTime.nanoseconds(), status, attributes)
    }
}
