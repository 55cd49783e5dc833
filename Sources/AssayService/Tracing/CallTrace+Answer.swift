import AssayCore
import AssayRPC
import AssayTracing

extension CallTrace {
    /// Notes what a request was, and what it came to: configured names and codes, never what the caller sent.
    func note(_ request: AuthorizedRequest, _ answer: Answer) {
        var attributes = [
            SpanAttribute("assay.app", "\(request.request.app)"),
            SpanAttribute("assay.request_id", Hex.encode(request.requestID)),
            SpanAttribute("assay.purpose", request.request.purpose.name),
            SpanAttribute("assay.format", request.formatLabel),
        ]
        if let verdict = answer.verdict {
            switch verdict.decision {
            case .accepted(let assurance):
                attributes += [SpanAttribute("assay.decision", "accepted"), SpanAttribute("assay.assurance", assurance.name)]
            case .rejected(let rejection, let check):
                attributes += [
                    SpanAttribute("assay.decision", "rejected"), SpanAttribute("assay.reason", rejection.code.rawValue),
                    SpanAttribute("assay.check", check),
                ]
            }
        }
        switch answer {
        case .reported: attributes.append(SpanAttribute("assay.would_reject", "true"))
        case .repeated: attributes.append(SpanAttribute("assay.decision", "repeated"))
        case .verdict, .completed, .failed, .abandoned: break
        }
        note(attributes)
    }
}

extension AuthorizedRequest {
    /// The format of the evidence, as a bounded label: a caller may name any format, and one that the app does not accept has no name here.
    var formatLabel: String {
        guard request.evidence.count == 1, let only = request.evidence.first else { return VerdictCounters.several }
        return profile.verifiers[only.format] == nil ? VerdictCounters.other : only.format.rawValue
    }
}

extension [AuthorizedRequest] {
    /// The traces of the requests that have one. Costs a comparison for each request if none has.
    var traces: [CallTrace] { contains { $0.trace != nil } ? compactMap(\.trace) : [] }
}
