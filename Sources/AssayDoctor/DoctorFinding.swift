/// What `assay doctor` says of one thing: that it is well, or what is wrong and what to do.
package struct DoctorFinding: Hashable, Sendable {
    /// The order is that of the listing. Raw values are a contract (`assay doctor --json`).
    package enum Severity: String, CaseIterable, Comparable, Sendable {
        /// Something does not work, or will not within days.
        case problem
        /// Works, and is probably not meant so, or will stop working.
        case warning
        case ok

        package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .problem: 0
            case .warning: 1
            case .ok: 2
            }
        }
    }

    /// Codes of `assay doctor` itself. Raw values are a contract; docs/operate/doctor.md lists them. A finding may also have a code of the daemon's
    /// status or of check-config.
    package enum Code: String, CaseIterable, Sendable {
        case daemon
        case daemonUnreachable = "daemon_unreachable"
        case notPermitted = "not_permitted"
        case versionsDiffer = "versions_differ"
        case attention
        case clock
        case clockApart = "clock_apart"
        case clockUnsynchronised = "clock_unsynchronised"
        case clockStepped = "clock_stepped"
        case testRoots = "test_roots"
        case disk
        case diskLow = "disk_low"
        case walLarge = "wal_large"
        case commitsFail = "commits_fail"
        case descriptorsShort = "descriptors_short"
        case vendorUnavailable = "vendor_unavailable"
        case feed
        case feedFailing = "feed_failing"
        case certificate
        case certificateEnds = "certificate_ends"
        case apiKey = "api_key"
        case apiKeyEnds = "api_key_ends"
        case apiKeyUnusable = "api_key_unusable"
        case caller
        case callerUnseen = "caller_unseen"
        case app
        case appUnused = "app_unused"
        case appRejectsAll = "app_rejects_all"
        case appRejectsMany = "app_rejects_many"
        case appWithoutVerdicts = "app_without_verdicts"
        case configuration
        case configurationDiffers = "configuration_differs"
        case configurationUnusable = "configuration_unusable"
        case configurationUnchecked = "configuration_unchecked"
        case listener
        case listenerUnreachable = "listener_unreachable"
    }

    package let severity: Severity
    package let code: String
    /// What it is about: an app, a caller, a file, an address; empty: the whole installation.
    package let subject: String
    package let message: String
    /// What to do; empty where nothing is.
    package let remedy: String

    package init(_ severity: Severity, _ code: String, _ subject: String = "", _ message: String, do remedy: String = "") {
        (self.severity, self.code, self.subject, self.message, self.remedy) = (severity, code, subject, message, remedy)
    }

    init(_ severity: Severity, _ code: Code, _ subject: String = "", _ message: String, do remedy: String = "") {
        self.init(severity, code.rawValue, subject, message, do: remedy)
    }
}
