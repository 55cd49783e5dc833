import AssayCore

/// How an app reacts to the values of one signal, made once for all tokens.
struct PlaySignalRule: Sendable {
    let signal: PlaySignal
    private let known: [OpaqueText: PlaySignal.Reaction]
    private let ofOthers: PlaySignal.Reaction
    /// The finding of a token that does not tell the signal, if that is ignored.
    private let untold: Finding?

    init(_ signal: PlaySignal, of policy: PlayIntegrityPolicy) {
        (self.signal, known) = (signal, policy.reactions(to: signal))
        ofOthers = known[PlaySignal.other] ?? .warn
        untold =
            known[PlayVerdict.unevaluated] ?? ofOthers == .ignore
            ? Finding(check: signal.rawValue, outcome: .skipped, code: "not_evaluated", detail: "the token does not tell") : nil
    }

    /// An unknown value never counts as good.
    private func reaction(_ value: OpaqueText) -> PlaySignal.Reaction { known[value] ?? ofOthers }

    func judge(_ payload: PlayPayload, _ appraisal: inout Appraisal) throws(Rejection) {
        let values = signal.values(in: payload)
        if let untold, values.count == 1, values[0] == PlayVerdict.unevaluated {
            appraisal.findings.append(untold)
            return
        }
        try appraisal.check(signal.rawValue) { () throws(Rejection) in
            for value in values where reaction(value) == .fail {
                throw Rejection(signal.code(for: value), sentence(value))
            }
        }
        for value in values where reaction(value) == .warn {
            appraisal.note(signal.rawValue, word(value).lowercased(), sentence(value))
        }
    }

    private func sentence(_ value: OpaqueText) -> String {
        guard known[value] == nil else { return "the token says \(value.text)" }
        return "the token says \(value.text.shown), which counts as \(PlaySignal.other.text)"
    }

    /// The value if it is known: codes contain no other values.
    private func word(_ value: OpaqueText) -> String { (known[value] == nil ? PlaySignal.other : value).text }
}
