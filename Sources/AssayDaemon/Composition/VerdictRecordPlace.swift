package import AssayConfiguration
package import AssayCore
import AssaySQLite
package import Logging

/// The open store of verdict records, and how it follows the configuration.
package struct VerdictRecordPlace: Sendable {
    package let store: any VerdictRecordStore
    /// What verdicts went by, for apps that record it; `nil`: nowhere.
    let recordings: (any RecordingStore)?
    /// Puts another file, or leave to move a damaged one aside, in force.
    let follow: @Sendable (VerdictSettings) -> Void

    package init(
        _ store: any VerdictRecordStore, recordings: (any RecordingStore)? = nil,
        follow: @escaping @Sendable (VerdictSettings) -> Void = { _ in }
    ) {
        (self.store, self.recordings, self.follow) = (store, recordings, follow)
    }

    /// Opens the store of a configuration, in the background. A file that cannot be used does not keep the daemon from starting: the log and the
    /// status say why nothing is recorded.
    package init(_ settings: VerdictSettings, logger: Logger) {
        let records = SQLiteVerdictRecords(settings.place, limits: settings.rule.limits) { problem in
            if let problem {
                logger.error("verdicts are not recorded", metadata: ["problem": "\(problem)"])
            } else {
                logger.notice("verdicts are recorded again")
            }
        }
        self.init(records, recordings: records) { records.use($0.place) }
    }
}

extension VerdictSettings {
    fileprivate var place: SQLiteVerdictRecords.Place {
        SQLiteVerdictRecords.Place(path: file, movesDamagedAside: movesDamagedAside)
    }
}
