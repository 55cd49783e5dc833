import AssayCore
import AssaySchemes

extension UploadRule {
    /// The section `apps.<app>.uploads`.
    init(reading value: ConfigurationReader.Value) {
        self.init()
        let section = value.section()
        if let time = section.optional("lifetime")?.milliseconds(in: Self.lifetimes) { lifetime = time }
        if let limit = section.optional("max_open_uploads")?.integer(in: Self.openLimits) { openLimit = limit }
        section.done()
    }

    /// What is allowed, as a sentence.
    var summary: String {
        "takes payloads uploaded in chunks, for \(DurationText.exact(lifetime)) each and at most \(openLimit) unfinished at a time"
    }
}
