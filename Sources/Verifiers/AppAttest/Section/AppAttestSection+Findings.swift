package import AssayCore
package import AssaySchemes

extension AppAttestSection {
    /// Apps that attest are of the categories 2 to 6; 6, Developer ID, is for Macs alone.
    package func findings(beside others: [String: any SchemeSection], at now: Timestamp) -> [SectionFinding] {
        var findings: [SectionFinding] = []
        if let categories = policy.allowedValidationCategories {
            let unknown = categories.filter { !(2...6).contains($0) }.sorted()
            if !unknown.isEmpty {
                findings.append(
                    .unmeetable(
                        "app_attest.validation_categories",
                        "no app that attests has the category \(unknown.map(String.init).joined(separator: ", ")): they are 2 TestFlight, 3 "
                            + "development, 4 App Store, 5 enterprise or ad hoc, 6 Developer ID"))
            } else if categories == [6], !identities.contains(where: { $0.platform == .macOS }) {
                findings.append(
                    .unmeetable(
                        "app_attest.validation_categories",
                        "Developer ID (6) is for Macs, and no identity has \"platform: macos\""))
            }
        }
        if policy.receipt.maxRiskMetric == 0 {
            findings.append(
                .unmeetable(
                    "app_attest.receipt.max_risk_metric",
                    "the metric counts the keys that the device attested lately, of which the one in use is one: want at least 1"
                ))
        }
        return findings
    }
}
