import AssayCore
import AssaySchemes

extension EnforcementRule {
    /// The key `apps.<app>.enforce`: a word, or a section with a share.
    init(reading value: ConfigurationReader.Value) {
        self.init()
        guard value.isSection else {
            share = value.choice(["always": Self.whole, "report": 0]) ?? Self.whole
            return
        }
        let section = value.section()
        let stated = section.optional("share")?.percentage()
        let reported = section.optional("report")?.choice(["rejections": false, "everything": true])
        section.done()
        if value.names?.isEmpty == true { value.report("it states nothing: leave it out to enforce every verdict") }
        share = stated ?? (section.optional("share") == nil ? 0 : Self.whole)
        reportsEverything = reported ?? false
        if reportsEverything, share == Self.whole, stated != nil {
            value.at("report")?.report("all rejections are enforced (share: 100%), so that there is nothing to report")
        }
    }

    /// What is not enforced, as a sentence; `nil`: everything is enforced.
    package var summary: String? {
        guard reports else { return nil }
        let enforced =
            share == 0
            ? "enforces no verdict: rejections" : "enforces the verdicts of \(shareText) of its devices: other rejections"
        let but =
            reportsEverything ? "replays and blocked devices included" : "but for replays, revoked keys and blocked devices"
        return "\(enforced), \(but), are answered ACCEPTED with would_reject"
    }
}

extension ConfigurationReader.Value {
    /// A share such as `10%` or `0.5%`, in hundredths of a percent.
    fileprivate func percentage() -> UInt32? {
        guard let text = text() else { return nil }
        guard let share = Self.hundredths(of: text) else {
            report(
                "want a share from 0% to 100% with at most two digits after the point, such as 10% or 0.5%, have \"\(text.prefix(20))\""
            )
            return nil
        }
        return share
    }

    private static func hundredths(of text: String) -> UInt32? {
        guard text.hasSuffix("%") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let first = parts.first, let whole = UInt32(first), whole <= 100
        else { return nil }
        let digits = parts.count == 2 ? parts[1] : "0"
        guard digits.utf8.count <= 2, let rest = UInt32(digits) else { return nil }
        let share = whole * 100 + (digits.utf8.count == 1 ? rest * 10 : rest)
        return share <= EnforcementRule.whole ? share : nil
    }
}
