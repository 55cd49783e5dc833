/// What an appraisal measured in the payload that the device signed, for a signal of the confidence. It takes the place of the app's own word
/// (`ConfidenceRule.measured`), and decides nothing.
public struct SignalMeasurement: Hashable, Sendable {
    /// The name of the signal.
    public let signal: String
    public let outcome: Signal.Outcome
    /// A sentence with the numbers.
    public let detail: String

    public init(signal: String, outcome: Signal.Outcome, detail: String) {
        (self.signal, self.outcome, self.detail) = (signal, outcome, detail.visible)
    }
}

extension Appraisal {
    /// The appraisal of evidence that is a part of a payload, with the check `payload`: that what the evidence belongs to is what the device
    /// signed. All that only evidence of a device can bring is left out: assurance, effects, uses, keys, platform.
    ///
    /// - Parameter binding: the request's.
    func asPart(of binding: Binding) -> Appraisal {
        var part = Appraisal(format: format, examination: examination, report: report)
        (part.isPart, part.findings, part.plugin) = (true, findings, plugin)
        (part.feeds, part.simulated) = (feeds, simulated)
        guard failure == nil, findings.first(.unavailable) == nil else { return part }
        let belongs: Void? = try? part.check("payload") { () throws(Rejection) -> Void in
            guard let payload = binding.payloadHash else {
                throw Rejection(
                    .payloadNotBound, "\(format) is a part of a payload, and no payload is known that the device signed")
            }
            guard verifiedPayload == payload else {
                throw Rejection(.payloadNotBound, "\(format) was not shown to belong to the payload that the device signed")
            }
        }
        guard belongs != nil else { return part }
        (part.claims, part.verifiedPayload, part.measurements) = (claims, verifiedPayload, measurements)
        return part
    }
}
