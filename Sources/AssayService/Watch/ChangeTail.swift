package import AssayCore
package import Logging
import ServiceLifecycle

/// Publishes the changes that the audit log records, as long as events are watched.
///
/// It reads the log from the place where watching began: events come in the order of their records and after these are durable, from
/// every part of the daemon that makes changes. Records of verdicts are passed over by their first byte.
package actor ChangeTail: Service {
    /// Between looks at the log, in milliseconds.
    package static let period: Int64 = 250

    private let ledger: any AuditLog
    private let hub: WatchHub
    private let clock: any WallClock
    private let logger: Logger
    /// The number of the next record; `nil`: nothing is followed.
    private var next: Int64?
    private var isFailing = false

    package init(ledger: any AuditLog, hub: WatchHub, clock: any WallClock, logger: Logger) {
        (self.ledger, self.hub, self.clock, self.logger) = (ledger, hub, clock, logger)
    }

    /// Publishes every change from now on. Call it when a subscription has begun, before its reader is told so.
    package func begin() async throws(LedgerError) {
        guard next == nil else { return }
        let end = try await ledger.audit(from: .max, limit: 1).last &+ 1
        // Another call may have begun meanwhile, at an earlier place.
        if next == nil { next = end }
    }

    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.round()
                do { try await Task.sleep(for: .milliseconds(Self.period)) } catch { return }
            }
        }
        // What was changed since is told to webhooks, which end later.
        await round()
    }

    /// Publishes what was recorded since the last round.
    package func round() async {
        hub.rest(at: clock.now())
        guard hub.isActive else {
            next = nil
            return
        }
        do throws(LedgerError) {
            try await begin()
            try await publishNew()
            isFailing = false
        } catch {
            if !isFailing {
                logger.warning("changes cannot be read for watchers; they follow later", metadata: ["problem": "\(error)"])
            }
            isFailing = true
        }
    }

    private func publishNew() async throws(LedgerError) {
        while let from = next {
            let page = try await ledger.audit(from: from, limit: AuditPage.limit)
            // Two rounds do not overlap; `begin` changes nothing while there is a place.
            hub.publish(
                page.rows.compactMap { row in
                    AuditChange(decoding: row.record).map { WatchEvent($0, number: row.number, at: row.time) }
                })
            let end = page.rows.last.map { $0.number &+ 1 } ?? max(from, page.last &+ 1)
            next = end
            guard page.rows.count >= AuditPage.limit else { return }
        }
    }
}
