package import AssayCore
import AssaySchemes

/// Which verdicts are recorded, and where: the section `verdicts`.
package struct VerdictSettings: Hashable, Sendable {
    package var rule = VerdictRecordRule()
    /// The file's path.
    package var file: String
    /// Whether a file that cannot be used is renamed, and an empty one made in its place.
    package var movesDamagedAside = false

    /// Beside the ledger.
    package init(beside ledger: String) {
        let folder = ledger.lastIndex(of: "/").map { String(ledger[...$0]) } ?? ""
        file = folder + "verdicts.db"
    }
}

extension VerdictSettings {
    /// The section `verdicts`.
    ///
    /// - Parameter ledger: the path of the ledger.
    init(reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles, ledger: String) {
        self.init(beside: ledger)
        guard let section = value?.section() else { return }
        rule.recorded =
            section.optional("record")?.choice(["none": .none, "rejected": .rejected, "all": .all]) ?? rule.recorded
        file = section.optional("file")?.path(files) ?? file
        movesDamagedAside = section.optional("move_damaged_aside")?.boolean() ?? movesDamagedAside
        if let rows = section.optional("max_records")?.integer(in: 1000...100_000_000) { rule.limits.rows = Int64(rows) }
        if let bytes = section.optional("max_bytes")?.bytes(in: 1 << 20...1 << 40) { rule.limits.bytes = Int64(bytes) }
        if let age = section.optional("keep")?.milliseconds(in: 3_600_000...3660 * 86_400_000) { rule.limits.age = age }
        if let sampling = section.optional("flood")?.section() {
            if let full = sampling.optional("full_per_minute")?.integer(in: 1...1_000_000) {
                rule.fullPerMinute = Int64(full)
            }
            if let count = sampling.optional("then_one_in")?.integer(in: 1...1_000_000) { rule.sampledBy = Int64(count) }
            sampling.done()
        }
        section.done()
    }

    /// What is recorded, as a sentence.
    package var summary: String {
        let days = rule.limits.age / 86_400_000
        let kept = days > 0 ? "\(days) days" : "\(rule.limits.age / 3_600_000) hours"
        switch rule.recorded {
        case .none: return "records no verdicts"
        case .rejected: return "records rejections for \(kept) in \(file)"
        case .all: return "records all verdicts for \(kept) in \(file)"
        }
    }
}
