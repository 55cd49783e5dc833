import AssayCore
import AssayMetrics
import AssayService

/// Callers as the ledger and the counts know them. Their rights are of the configuration.
struct CallersPart: DaemonPart {
    /// The API keys of callers.
    let keys: KeyDirectory
    /// The calls of each caller.
    let calls = CallerCounters()

    /// Throws what the ledger says, if the API keys cannot be read.
    init(_ base: DaemonBase) async throws {
        keys = KeyDirectory(try await base.ledger.callerKeys(), clock: base.clock)
    }

    var collectors: [any MetricsCollector] { [calls] }
}
