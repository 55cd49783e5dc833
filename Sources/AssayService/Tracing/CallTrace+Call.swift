import AssayAPI
import AssayMetrics
import AssayRPC
import AssayTracing
import Logging

/// Names and values follow OpenTelemetry's semantic conventions where those have one; the others begin with `assay.`.
extension Tracer {
    /// The trace of an authorised call; `nil` if it is not traced. Ask ``Tracer/isOn`` first.
    func begin(_ call: RPCCall, of method: MethodDeclaration, by caller: String) -> CallTrace? {
        let (parent, state) = (call.metadata[TraceParent.key], call.metadata[TraceState.key])
        let received = call.received.duration(to: .now).wholeNanoseconds
        let path = method.path.drop { $0 == "/" }
        guard let trace = begin(String(path), received: received, parent: parent, state: state) else { return nil }
        let parts = path.split(separator: "/", maxSplits: 1)
        trace.note([
            SpanAttribute("rpc.system", "assay"),
            SpanAttribute("rpc.service", String(parts.first ?? "")),
            SpanAttribute("rpc.method", String(parts.dropFirst().first ?? "")),
            SpanAttribute("assay.caller", caller),
        ])
        return trace
    }
}

extension CallTrace {
    /// The call was answered without an error.
    func endAnswered() { end(.unset, [SpanAttribute("rpc.response.status_code", "OK")]) }

    /// The call was answered by an error. Errors of the daemon and of what it depends on are errors of the span; callers' mistakes are not.
    func end(failing error: RPCError) {
        let word = error.reason.isEmpty ? "\(error.code)" : error.reason
        end(
            error.code.isOfTheServer ? .error(word) : .unset,
            [SpanAttribute("rpc.response.status_code", "\(error.code)"), SpanAttribute("error.type", word)])
    }

    /// What log lines name the trace by.
    var names: Logger.Metadata { ["trace_id": "\(traceID)", "span_id": "\(spanID)"] }
}

extension RPCStatusCode {
    /// As the conventions for gRPC have it for spans of servers.
    fileprivate var isOfTheServer: Bool {
        switch self {
        case .unknown, .deadlineExceeded, .unimplemented, .internalError, .unavailable, .dataLoss: true
        case .ok, .cancelled, .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .resourceExhausted,
            .failedPrecondition, .aborted, .outOfRange, .unauthenticated:
            false
        }
    }
}

extension RPCCall {
    /// What log lines name the trace of a call by: also of one that is not traced, if its caller named a trace. Read only for a line that is
    /// written.
    func traceNames(_ trace: CallTrace?) -> Logger.Metadata {
        if let trace { return trace.names }
        guard !metadata.entries.isEmpty, let text = metadata[TraceParent.key], let parent = try? TraceParent(parsing: text)
        else { return [:] }
        return ["trace_id": "\(parent.traceID)"]
    }
}
