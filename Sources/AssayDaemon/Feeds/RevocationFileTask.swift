import AssayCore
import AssayService
import AssayVendors
import Logging
import Synchronization

/// Reads apps' revocation list files again when they change.
final class RevocationFileTask: MaintenanceTask {
    private struct State {
        var files: [RevocationFile] = []
        /// By path, the last logged problem: the log gets each problem once, and the odd entries of each version once.
        var problems: [String: String] = [:]
        var versions: [String: String] = [:]
    }

    private let state = Mutex(State())
    private let clock: any WallClock
    private let logger: Logger

    init(clock: any WallClock, logger: Logger) { (self.clock, self.logger) = (clock, logger) }

    /// Replaces the files that are read.
    func follow(_ files: [RevocationFile]) {
        state.withLock { $0.files = files }
        for file in files { tellOddEntries(of: file) }
    }

    func perform() async {
        for file in state.withLock({ $0.files }) {
            do throws(FeedError) {
                try await BackgroundThread.run("assay-lists") { () throws(FeedError) in try file.refresh(at: self.clock.now()) }
                state.withLock { $0.problems[file.path] = nil }
                tellOddEntries(of: file)
            } catch {
                let problem = "\(error)"
                guard state.withLock({ $0.problems.updateValue(problem, forKey: file.path) }) != problem else { continue }
                logger.warning(
                    "a list could not be read again; the last good one stays",
                    metadata: ["file": "\(file.path)", "problem": "\(problem)"])
            }
        }
    }

    private func tellOddEntries(of file: RevocationFile) {
        let snapshot = file.snapshot
        let known = state.withLock { $0.versions.updateValue(snapshot.feed.id, forKey: file.path) }
        if known != snapshot.feed.id { snapshot.logOddEntries(by: logger) }
    }
}
