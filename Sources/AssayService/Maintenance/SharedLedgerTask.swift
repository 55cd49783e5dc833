package import AssayCore
package import Logging
import ServiceLifecycle

/// Follows each second what is changed in a shared ledger beside this daemon. While the ledger cannot be read, what was read last stays.
///
/// - API keys: other daemons add and revoke them.
/// - Challenge keys, after they were removed because the ledger may have gone back. The ledger accepts nothing until they are read.
package struct SharedLedgerTask: Service {
    private let ledger: any CallerKeyRegistry
    private let hasStaleSecrets: @Sendable () -> Bool
    private let directory: KeyDirectory
    private let keys: ChallengeKeys
    private let period: Duration
    private let logger: Logger

    /// - Parameter hasStaleSecrets: whether challenge keys were removed since they were read.
    package init(
        _ ledger: any CallerKeyRegistry, _ directory: KeyDirectory, _ keys: ChallengeKeys,
        hasStaleSecrets: @escaping @Sendable () -> Bool, period: Duration = .seconds(1), logger: Logger
    ) {
        (self.ledger, self.directory, self.keys) = (ledger, directory, keys)
        self.hasStaleSecrets = hasStaleSecrets
        (self.period, self.logger) = (period, logger)
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var isTold = false
            while (try? await Task.sleep(for: period)) != nil {
                do {
                    if hasStaleSecrets() { try await keys.rotate() }
                    directory.replace(by: try await ledger.callerKeys())
                    isTold = false
                } catch {
                    guard !isTold else { continue }
                    isTold = true
                    logger.warning(
                        "API keys that other daemons revoke are not known until the ledger can be read",
                        metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
