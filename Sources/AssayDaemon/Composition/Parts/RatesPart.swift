import AssayConfiguration
import AssayService
import ServiceLifecycle

/// What is left of the rates, also over a restart.
struct RatesPart: DaemonPart {
    let buckets: RateBuckets
    private let keeper: RateLevelsKeeper

    /// Throws what the ledger or the vault says, if the secret of the buckets' names cannot be read.
    init(_ base: DaemonBase) async throws {
        buckets = RateBuckets(secret: try await base.secret("rates"))
        keeper = RateLevelsKeeper(buckets, in: base.fixed.store.ratesFile, logger: base.logger)
        keeper.restore()
    }

    var services: [any Service] { [keeper] }
}
