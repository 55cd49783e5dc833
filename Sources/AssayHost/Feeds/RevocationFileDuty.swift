import AssayFeeds
import AssayService
import Logging
import Synchronization

/// Follows the files that apps take their lists from.
final class RevocationFileDuty: HousekeepingDuty {
    private let files = Mutex<[RevocationFile]>([])
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// What is followed from now on.
    func follow(_ files: [RevocationFile]) { self.files.withLock { $0 = files } }

    func perform() async {
        for file in files.withLock({ $0 }) {
            do throws(FeedProblem) {
                try file.refresh()
            } catch {
                logger.warning(
                    "a list could not be read anew; the last good one stays",
                    metadata: ["file": "\(file.path)", "problem": "\(error)"])
            }
        }
    }
}
