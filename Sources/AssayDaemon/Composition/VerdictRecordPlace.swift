package import AssayConfiguration
package import AssayCore
import AssaySQLite
package import Logging

/// The open store of verdict records, and how it follows the configuration.
package struct VerdictRecordPlace: Sendable {
    package let store: any VerdictRecordStore
    /// Puts another file, or leave to move a damaged one aside, in force.
    let follow: @Sendable (VerdictSettings) -> Void

    package init(
        _ store: any VerdictRecordStore, follow: @escaping @Sendable (VerdictSettings) -> Void = { _ in }
    ) {
        (self.store, self.follow) = (store, follow)
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
        self.init(records) { records.use($0.place) }
    }
}

extension VerdictSettings {
    fileprivate var place: SQLiteVerdictRecords.Place {
        SQLiteVerdictRecords.Place(path: file, movesDamagedAside: movesDamagedAside)
    }
}
