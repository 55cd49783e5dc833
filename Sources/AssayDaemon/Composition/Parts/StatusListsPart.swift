import AssayConfiguration
import AssayMetrics
import AssayResults
import AssayService
import ServiceLifecycle

/// The published status lists, and the places of results in them.
struct StatusListsPart: DaemonPart {
    /// Keeps the lists at what the ledger says.
    let publisher: StatusListPublisher
    /// Gives results their places.
    let places: LedgerStatusPlaces
    /// What a listener over HTTP serves of them, beside the calls.
    let files: StatusListFiles

    /// Throws what the ledger or the vault says.
    init(_ base: DaemonBase, _ live: LiveConfiguration, keys: ResultKeyRing) async throws {
        let permutations = StatusListPermutations(secret: try await base.secret("status_lists"))
        publisher = StatusListPublisher(
            ledger: base.ledger, keys: keys, permutations: permutations, rule: live.statusListRule, clock: base.clock,
            logger: base.logger)
        places = LedgerStatusPlaces(ledger: base.ledger, permutations: permutations)
        files = StatusListFiles(publisher: publisher, clock: base.clock)
    }

    var services: [any Service] { [publisher] }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("status lists", follows: [\.results]) { [publisher] new in
                { publisher.use(new.statusListRule) }
            }
        ]
    }
    var collectors: [any MetricsCollector] { [publisher] }
}

extension LiveConfiguration {
    fileprivate var statusListRule: StatusListRule { results?.statusLists ?? StatusListRule() }
}
