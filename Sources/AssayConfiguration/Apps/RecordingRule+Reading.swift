import AssayCore
import AssaySchemes

extension RecordingRule {
    /// The section `apps.<app>.record`.
    init(reading value: ConfigurationReader.Value) {
        self.init()
        let section = value.section()
        accepted = section.optional("accepted")?.share() ?? accepted
        rejected = section.optional("rejected")?.share() ?? rejected
        if let keep = section.optional("keep")?.milliseconds(in: 3_600_000...366 * 86_400_000) { age = keep }
        if let limit = section.optional("max_bytes")?.bytes(in: 1 << 20...1 << 40) { bytes = Int64(limit) }
        keepsEvidence = section.optional("evidence")?.boolean() ?? keepsEvidence
        section.done()
        if accepted == 0, rejected == 0 { value.report("it records nothing: leave the section out") }
    }

    /// What is recorded, as a sentence.
    var summary: String {
        let shares = [("accepted", accepted), ("rejected", rejected)].filter { $0.1 > 0 }
        let parts = shares.map { word, share -> String in share < 1 ? "\(share * 100) % of \(word)" : "all \(word)" }
        return "records what \(parts.joined(separator: " and ")) verdicts went by for \(DurationText.exact(age))"
            + (keepsEvidence ? ", with their evidence, encrypted" : "")
    }
}
