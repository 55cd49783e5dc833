package import AssayCore
package import Logging
import ServiceLifecycle

/// What is done from time to time: forget what has expired, and rotate challenge keys.
package struct Housekeeping: Service {
    private let ledger: any Ledger
    private let keys: ChallengeKeys
    private let clock: SettledClock
    private let period: Duration
    private let logger: Logger

    package init(ledger: any Ledger, keys: ChallengeKeys, clock: any WallClock, period: Duration = .seconds(60), logger: Logger)
    {
        self.ledger = ledger
        self.keys = keys
        self.clock = SettledClock(clock)
        self.period = period
        self.logger = logger
    }

    /// Runs until graceful shutdown. A failure is logged and tried again a period later.
    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await attempt { try await ledger.purge(now: clock.now()) }
                await attempt { try await keys.rotate() }
                do { try await Task.sleep(for: period) } catch { return }
            }
        }
    }

    /// Neither duty keeps the other from being done.
    private func attempt(_ duty: () async throws -> Void) async {
        do {
            try await duty()
        } catch {
            logger.error("housekeeping failed and will be tried again", metadata: ["error": "\(error)"])
        }
    }
}
