package import AssayCore
package import Logging
import ServiceLifecycle

/// Reads the API keys of a shared ledger again each second: other daemons add and revoke them too. While the ledger cannot be read, the
/// keys are those that were read last.
package struct KeyDirectoryTask: Service {
    private let directory: KeyDirectory
    private let ledger: any CallerKeyRegistry
    private let period: Duration
    private let logger: Logger

    package init(
        _ directory: KeyDirectory, ledger: any CallerKeyRegistry, period: Duration = .seconds(1), logger: Logger
    ) {
        (self.directory, self.ledger, self.period, self.logger) = (directory, ledger, period, logger)
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            var isTold = false
            while (try? await Task.sleep(for: period)) != nil {
                do throws(LedgerError) {
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
