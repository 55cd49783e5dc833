import AssayFiles
package import AssayService
package import Logging
import ServiceLifecycle
import Synchronization

/// Keeps the levels of the rate limits' buckets over restarts, in a file beside the ledger.
///
/// Nothing but counts is in it: without the file, or with a damaged one, all buckets start full. So it is written without flushing the disk,
/// every few seconds while something changes, and when the daemon stops.
package final class RateLevelsKeeper: Service {
    private let path: String
    private let buckets: RateBuckets
    private let period: Duration
    private let logger: Logger
    /// Whether the last attempt to write failed: it is logged once.
    private let hasFailed = Atomic(false)

    package init(_ buckets: RateBuckets, in path: String, period: Duration = .seconds(5), logger: Logger) {
        (self.path, self.buckets, self.period, self.logger) = (path, buckets, period, logger)
    }

    /// Takes over what the last run kept.
    package func restore() {
        do throws(ProtectedFileError) {
            let bytes = try ProtectedFile.read(path, atMost: buckets.levelsLimit + 1)
            guard let count = buckets.restore(bytes) else {
                return tell("it is damaged, or of another ledger")
            }
            if count > 0 { logger.info("took over the levels of rate limits", metadata: ["buckets": "\(count)"]) }
        } catch {
            if error != .missing { tell("it \(error.description)") }
        }
    }

    private func tell(_ why: String) {
        logger.warning(
            "the levels of rate limits are not taken over, all buckets are full",
            metadata: ["file": "\(path)", "why": "\(why)"])
    }

    /// Writes until graceful shutdown, which begins after the server has stopped.
    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: self.period) } catch { return }
                self.write()
            }
        }
        write()
    }

    /// Writes what has changed.
    private func write() {
        guard buckets.takeChanged() || hasFailed.load(ordering: .relaxed) else { return }
        do throws(NewFileError) {
            try ReplacedFile.write(path, buckets.levels())
            hasFailed.store(false, ordering: .relaxed)
        } catch {
            guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
            logger.warning(
                "the levels of rate limits cannot be kept; after a restart all buckets are full",
                metadata: ["file": "\(path)", "why": "\(error.description)"])
        }
    }
}
