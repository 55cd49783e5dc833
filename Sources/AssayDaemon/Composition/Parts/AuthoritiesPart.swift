import AssayConfiguration
import AssayCore
import AssayService
import Logging
import ServiceLifecycle

/// The CAs of device certificates, and their revocation lists.
struct AuthoritiesPart: DaemonPart {
    let authority: ReloadableAuthority
    /// Signs revocation lists.
    let issuer: RevocationListIssuer
    /// Keeps the revocation lists current, and publishes them.
    let lists: RevocationListTask
    /// What a listener over HTTP serves of them, beside the calls.
    let files: AuthorityFiles
    private let logger: Logger

    /// Throws `StartupError` if a CA cannot be used.
    init(_ base: DaemonBase, _ live: LiveConfiguration) throws(StartupError) {
        let (ledger, clock, logger) = (base.ledger, base.clock, base.logger)
        self.logger = logger
        authority = ReloadableAuthority(try deviceAuthorities(live.provisioning, logger: logger))
        issuer = RevocationListIssuer(
            ledger: ledger, authority: authority, rule: live.revocationListRule,
            takes: { () throws(LedgerError) in try await ledger.takes(.revocationLists) }, clock: clock, logger: logger)
        lists = RevocationListTask(
            issuer: issuer, authority: authority, publish: live.publishesRevocationLists, clock: clock, logger: logger)
        files = AuthorityFiles(authority: authority, issuer: issuer, clock: clock)
    }

    /// Called when something was revoked. Never waits.
    var revoked: @Sendable () -> Void { { [lists] in lists.wake() } }

    var services: [any Service] { [lists] }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("device CAs", follows: [\.provisioning]) { new in
                let next = try deviceAuthorities(new.provisioning, logger: logger)
                let (rule, publish) = (new.revocationListRule, new.publishesRevocationLists)
                return {
                    authority.exchange(for: next)
                    issuer.use(rule)
                    lists.use(publish: publish)
                }
            }
        ]
    }
    var maintenanceTasks: [any MaintenanceTask] { [lists] }
}
