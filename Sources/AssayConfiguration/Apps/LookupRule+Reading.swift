import AssayCore
import AssayPlugins
import AssaySchemes

extension LookupRule {
    /// The section `apps.<app>.lookup`.
    init(reading value: ConfigurationReader.Value) {
        self.init()
        let section = value.section()
        if let keep = section.optional("keep")?.milliseconds(in: Self.ages) { age = keep }
        section.done()
    }

    /// What is kept, as a sentence.
    var summary: String {
        "accepted verdicts can be looked up by the hash of what the device signed for \(DurationText.exact(age))"
    }
}

extension AppConfiguration {
    /// A section `lookup` by which nothing can be found: no evidence of the app covers a hash that Assay knows.
    var lookupFindings: [SectionFinding] {
        // What a plugin's evidence is bound to is known once the plugin runs.
        guard lookup != nil, !plugins.contains(where: \.decides), !sections.contains(where: \.section.coversHashes) else {
            return []
        }
        return [
            SectionFinding(
                .lookupUnused, at: "lookup",
                "no evidence of the app covers a hash that Assay knows, so that look-ups find nothing")
        ]
    }
}
