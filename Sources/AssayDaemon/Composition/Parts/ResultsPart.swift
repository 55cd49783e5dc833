import AssayConfiguration
import AssayCore
import AssayResults
import AssayService
import AssaySigning
import Logging
import ServiceLifecycle

/// The keys under which results are signed.
struct ResultsPart: DaemonPart {
    /// Keeps the ring of keys at what the ledger publishes.
    let task: ResultKeyTask
    /// Keeps the keys in memory that keys of the ring certify.
    private let shortLived: ShortLivedKeyTask
    /// What a listener over HTTP serves of them, beside the calls.
    let files: ResultIssuerFiles
    /// Devices are named to audiences by it.
    private let secret: [UInt8]
    private let logger: Logger

    /// Publishes the keys of the configuration. Throws `StartupError` if one cannot be used, or what the ledger says.
    init(_ base: DaemonBase, _ live: LiveConfiguration) async throws {
        logger = base.logger
        secret = try await base.secret("result_devices")
        task = ResultKeyTask(
            try resultKeys(live.results, logger: base.logger), ledger: base.ledger, clock: base.clock, logger: base.logger)
        shortLived = ShortLivedKeyTask(ring: task.ring, clock: base.clock, logger: base.logger)
        files = ResultIssuerFiles(keys: task.ring, clock: base.clock)
        guard live.results != nil else { return }
        try await task.refresh(by: .start)
        await shortLived.prepare(within: .seconds(2))
    }

    /// Who signs now: for those who sign, and for what is published.
    var keys: ResultKeyRing { task.ring }

    /// What makes the results of an app under its rule.
    func composer(_ rule: ResultRule) -> ResultComposer { ResultComposer(rule, secret: secret) }

    var services: [any Service] { [task, shortLived] }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("results", follows: [\.results]) { [task, shortLived, logger] new in
                let keys = try resultKeys(new.results, logger: logger)
                let certified = await shortLived.certify(under: keys.own, within: .seconds(2))
                return {
                    task.use(keys)
                    shortLived.use(certified)
                    shortLived.wake()
                }
            }
        ]
    }
}

/// Opens the keys of a configuration. Throws `StartupError` with the file that is wrong. A token that is away is not waited for.
///
/// - Parameter logger: is told when a token cannot be used, and when it can be again.
private func resultKeys(_ settings: ResultSettings?, logger: Logger) throws(StartupError) -> ResultKeyTask.Keys {
    guard let settings else { return ResultKeyTask.Keys() }
    do throws(CredentialFileError) {
        let keys = try openingTokens(logger: logger) { openToken throws(CredentialFileError) in
            try settings.open(openToken: openToken)
        }
        return ResultKeyTask.Keys(keys, settings.rule)
    } catch {
        throw StartupError("a key of results cannot be used: \(error.description)")
    }
}
