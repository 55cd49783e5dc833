package import AssayCore

/// The keys of the configuration that decide the checks of an app, so that a failed check can be followed to the line that demands it.
package struct PolicyKeys: Sendable {
    /// The table of one platform's section of the app.
    package struct Section: Sendable {
        /// The formats of the section's evidence.
        package let formats: Set<EvidenceFormat>
        /// By the code of a failure, or by the name of a check.
        package let keys: [String: String]

        package init(formats: Set<EvidenceFormat>, keys: [String: String]) { (self.formats, self.keys) = (formats, keys) }
    }

    private let sections: [Section]
    private let common: [String: String]

    /// - Parameter common: of the checks that belong to no platform.
    package init(sections: [Section] = [], common: [String: String] = [:]) {
        (self.sections, self.common) = (sections, common)
    }

    /// The key that decides a finding's check; `nil` if none does, or if it cannot be told which: evidence by a registered key belongs to no
    /// section, and then only a check of a single section is known.
    ///
    /// - Parameter formats: of the request's evidence. With several, the finding's check begins with its format.
    func key(of finding: Finding, in formats: [EvidenceFormat]) -> String? {
        var (check, format) = (finding.check, formats.first)
        if formats.count > 1 {
            format = formats.first { finding.check.hasPrefix($0.rawValue + "/") }
            if let format { check = String(finding.check.dropFirst(format.rawValue.count + 1)) }
        }
        func look(_ keys: [String: String]) -> String? { keys[finding.code] ?? keys[check] }
        if let format, let section = sections.first(where: { $0.formats.contains(format) }) {
            return look(section.keys) ?? look(common)
        }
        let found = Set(sections.compactMap { look($0.keys) })
        return (found.count == 1 ? found.first : nil) ?? look(common)
    }
}
