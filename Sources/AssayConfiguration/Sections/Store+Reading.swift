import AssayCore
import AssaySchemes

extension FixedConfiguration.Store {
    /// The section `store`.
    init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let path = section.required("path")?.path(files)
        let keyFile = section.optional("key_file")?.path(files)
        let (retention, disk) = (RetentionRule(reading: section), DiskSpaceRule(reading: section))
        section.done()
        guard let path else { return nil }
        self.init(path: path, keyFile: keyFile ?? path + ".key")
        (self.retention, self.disk) = (retention, disk)
    }
}

extension RetentionRule {
    /// What the section `store` says of it.
    init(reading section: ConfigurationReader.Section) {
        self.init()
        // A day at least: what is younger is looked for in an incident of today.
        auditRecords = section.optional("keep_audit")?.milliseconds(in: 86_400_000...36_600 * 86_400_000)
        let counts = 1000...1_000_000_000
        if let limit = section.optional("max_audit_records")?.integer(in: counts) { auditRows = Int64(limit) }
        if let limit = section.optional("max_repeatable_verdicts")?.integer(in: counts) { verdicts = Int64(limit) }
        if let limit = section.optional("max_spent_challenges")?.integer(in: counts) { challenges = Int64(limit) }
        if let limit = section.optional("max_spent_evidence")?.integer(in: counts) { evidence = Int64(limit) }
    }
}

extension DiskSpaceRule {
    /// What the section `store` says of it.
    init(reading section: ConfigurationReader.Section) {
        self.init()
        if let bytes = section.optional("warn_free_bytes")?.integer(in: 0...1 << 60) { freeBytes = UInt64(bytes) }
        if let percent = section.optional("warn_free_percent")?.integer(in: 0...99) { freePercent = UInt64(percent) }
    }
}
