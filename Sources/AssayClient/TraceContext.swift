import AssayRPC
import AssayTracing

/// The trace that calls belong to, in the form of W3C Trace Context. The daemon's spans stand below the span that it names.
///
///     let context = TraceContext(traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
///     let verdict = try await TraceContext.$current.withValue(context) { try await assay.verify(request) }
public struct TraceContext: Hashable, Sendable {
    /// Of the calls that the task makes; `nil`: they belong to no trace.
    @TaskLocal public static var current: TraceContext?

    /// In the form of version 00, or of a later version as it came.
    public let traceParent: String
    /// Passed on as it is; empty for none.
    public let traceState: String

    /// `nil` if `traceParent` is not of the form.
    public init?(traceParent: String, traceState: String = "") {
        guard (try? TraceParent(parsing: traceParent)) != nil else { return nil }
        (self.traceParent, self.traceState) = (traceParent, traceState)
    }

    /// Why a text is no trace parent, to stand behind its name; `nil` if it is one.
    public static func problem(of traceParent: String) -> String? {
        do throws(TraceParentProblem) {
            _ = try TraceParent(parsing: traceParent)
            return nil
        } catch {
            return error.description
        }
    }

    var metadata: RPCMetadata {
        var metadata: RPCMetadata = [TraceParent.key: traceParent]
        if !traceState.isEmpty { metadata.append(TraceState.key, traceState) }
        return metadata
    }
}
