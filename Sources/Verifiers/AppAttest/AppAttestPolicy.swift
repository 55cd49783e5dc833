package import AssayCore

/// An app's requirements beyond the platform's own checks.
package struct AppAttestPolicy: Hashable, Sendable {
    /// Numbers of the kernel's code-signing validation categories: 2 TestFlight, 3 development, 4 App Store, 5 enterprise or ad
    /// hoc, 6 Developer ID. `nil` allows all. Checked only if the device reports one (OS 27 and later).
    package var allowedValidationCategories: Set<UInt32>?
    /// `nil` allows all. Checked only if the device reports one.
    package var allowedBundleVersions: Set<OpaqueText>?
    /// Refuse devices that report no validation category, or not what the lists above need. An authenticated category of the
    /// registration counts as reported.
    package var requireExtensions: Bool
    package var counterRule: CounterRule
    package var receipt: ReceiptRule
    /// Accept devices that were attested elsewhere and imported: their chain was not verified here.
    package var acceptImported: Bool

    package init(
        allowedValidationCategories: Set<UInt32>? = nil, allowedBundleVersions: Set<OpaqueText>? = nil,
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

    package func describe(in policy: inout PolicyText) {
        policy.add(
            "validation_categories", list: allowedValidationCategories.map { $0.sorted().map(String.init) }, absent: "any")
        policy.add(
            "bundle_versions", list: allowedBundleVersions.map { $0.sorted().map(\.text) }, absent: "any", separator: "\u{0}")
        policy.add("require_extensions", flag: requireExtensions)
        policy.add(
            "counter", hashed: UInt64(counterRule.rawValue),
            shown: counterRule == .window64 ? "any order" : "strictly increasing")
        policy.add("accept_imported", flag: acceptImported)
        policy.nested("receipt") { receipt.describe(in: &$0) }
    }
}

extension AppAttestPolicy {
    /// Checks what the device reports about the app (A20, S9). An unauthenticated report counts as absent, unless it is
    /// unfavourable to the app.
    ///
    /// - Parameter known: that of the device's registration. If an assertion reports no category, it counts, provided that it was authenticated;
    ///   the registration's bundle version does not, since apps are updated.
    func judge(
        _ reported: AuthenticatorExtensions, registered known: RegisteredCategory?, in appraisal: inout Appraisal
    ) throws(Rejection) {
        let vouched = reported.isAttributed
        // If extensions are required, the content of a declared map is binding.
        let isSilent = !(reported.isPresent && vouched)
        if let category = reported.validationCategory, vouched || !allows(category: category) {
            try judge(category: category, in: &appraisal)
        } else if let known, known.isVouched && (isSilent || !requireExtensions) || !allows(category: known.number) {
            try judge(category: known.number, in: &appraisal)
        } else if requireExtensions {
            try appraisal.require("validation_category", false, else: .categoryMissing, "no validation category is reported")
        } else {
            appraisal.note("validation_category", "not_reported", "the system does not report a validation category")
        }
        if let version = reported.bundleVersion, vouched || !allows(version: version) {
            try appraisal.require(
                "bundle_version", allows(version: version), else: .bundleVersionNotAllowed,
                "the bundle version is \(version.shown), allowed: \(shownVersions)")
        } else if requireExtensions, allowedBundleVersions != nil {
            try appraisal.require("bundle_version", false, else: .bundleVersionNotAllowed, "no bundle version is reported")
        } else {
            appraisal.note("bundle_version", "not_reported", "the system does not report a bundle version")
        }
    }

    private func judge(category: UInt32, in appraisal: inout Appraisal) throws(Rejection) {
        try appraisal.require(
            "validation_category", allows(category: category), else: .categoryNotAllowed,
            "validation category \(category), allowed: \(shownCategories)")
    }

    private var shownCategories: String {
        (allowedValidationCategories ?? []).sorted().map { "\($0)" }.joined(separator: ", ")
    }
    private var shownVersions: String { (allowedBundleVersions ?? []).sorted().map(\.text).shown }
    private func allows(category: UInt32) -> Bool { allowedValidationCategories?.contains(category) ?? true }
    private func allows(version: String) -> Bool { allowedBundleVersions?.contains(OpaqueText(version)) ?? true }
}
