package import AssayCore

/// What an app demands beyond the platform's own checks.
package struct AppAttestPolicy: Hashable, Sendable {
    /// Numbers of the kernel's code-signing validation categories: 2 TestFlight, 3 development, 4 App Store, 5 enterprise or
    /// ad hoc, 6 Developer ID. `nil` allows all. Looked at only where the device reports one (OS 27 and later).
    package var allowedValidationCategories: Set<UInt32>?
    /// `nil` allows all. Looked at only where the device reports one.
    package var allowedBundleVersions: Set<String>?
    /// Refuse devices that do not report what a list above, or the category, is about.
    package var requireExtensions: Bool
    package var counterRule: CounterRule
    package var receipt: ReceiptRule
    /// Accept devices that were attested elsewhere and imported: no chain was seen for them.
    package var acceptImported: Bool

    package init(
        allowedValidationCategories: Set<UInt32>? = nil, allowedBundleVersions: Set<String>? = nil,
        requireExtensions: Bool = false, counterRule: CounterRule = .window64,
        receipt: ReceiptRule = ReceiptRule(),
        acceptImported: Bool = false
    ) {
        self.allowedValidationCategories = allowedValidationCategories
        self.allowedBundleVersions = allowedBundleVersions
        self.requireExtensions = requireExtensions
        self.counterRule = counterRule
        self.receipt = receipt
        self.acceptImported = acceptImported
    }
}

extension AppAttestPolicy {
    /// Judges what the device reports about the app (A20, S9). What it does not vouch for counts as not reported, unless
    /// it speaks against the app.
    ///
    /// - Parameter registered: the claims of the device's registration. Its category counts where an assertion reports none
    ///   and need not; its bundle version does not, since apps are updated.
    func judge(
        _ reported: AuthenticatorExtensions, registered: Claims?, in appraisal: inout Appraisal
    ) throws(Rejection) {
        let vouched = reported.isAttributed
        let known = requireExtensions ? nil : registered?.integer("validation_category").flatMap { UInt32(exactly: $0) }
        if let category = reported.validationCategory, vouched || !allows(category: category) {
            try judge(category: category, in: &appraisal)
        } else if let known {
            try judge(category: known, in: &appraisal)
        } else if requireExtensions {
            try appraisal.require("validation_category", false, else: .categoryMissing, "no validation category is reported")
        } else {
            appraisal.note("validation_category", "not_reported", "the system does not report a validation category")
        }
        if let version = reported.bundleVersion, vouched || !allows(version: version) {
            try appraisal.require(
                "bundle_version", allows(version: version), else: .bundleVersionNotAllowed,
                "the bundle version is not on the list")
        } else if requireExtensions, allowedBundleVersions != nil {
            try appraisal.require("bundle_version", false, else: .bundleVersionNotAllowed, "no bundle version is reported")
        } else {
            appraisal.note("bundle_version", "not_reported", "the system does not report a bundle version")
        }
    }

    private func judge(category: UInt32, in appraisal: inout Appraisal) throws(Rejection) {
        try appraisal.require(
            "validation_category", allows(category: category), else: .categoryNotAllowed, "validation category \(category)")
    }

    private func allows(category: UInt32) -> Bool { allowedValidationCategories?.contains(category) ?? true }
    private func allows(version: String) -> Bool { allowedBundleVersions?.contains(version) ?? true }
}
