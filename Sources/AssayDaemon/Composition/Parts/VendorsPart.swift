import AssayCertificates
import AssayConfiguration
import AssayCore
import AssayMetrics
import AssaySchemes
import AssayService
import AssayVendors
import Logging
import ServiceLifecycle

/// What talks to vendors, what does so without being asked, and what verifiers take from them.
struct VendorsPart: DaemonPart {
    let client: VendorClient
    let receipts: ReceiptExchanger
    /// The fetched revocation lists.
    let feeds: [RevocationFeed]
    let inquiries = OutsideInquiries()
    /// Which certificates' signatures are known to be good.
    let links = LinkCache()
    private let preparations: PreparationSecrets
    private let files: RevocationFileTask
    private let clock: any WallClock
    private let logger: Logger

    /// Throws if the client cannot be made from its settings.
    ///
    /// - Parameter preparations: the secrets of evidence that is made in two steps.
    init(
        _ base: DaemonBase, _ time: ClockPart, _ live: LiveConfiguration, preparations: PreparationSecrets
    ) throws {
        self.preparations = preparations
        let (clock, logger, ledger) = (base.clock, base.logger, base.ledger)
        let client = try VendorClient(live.vendors)
        (self.client, self.clock, self.logger) = (client, clock, logger)
        receipts = ReceiptExchanger(
            ledger: ledger, client: client, clock: clock, clockAhead: { [settled = time.settled] in settled.read().lead },
            takes: { () throws(LedgerError) in try await ledger.takes(.receipts) }, logger: logger)
        feeds = live.revocationLists.all.map { list in
            RevocationFeed(
                name: list.declaration.name, settings: live.settings(of: list), client: client, clock: clock, logger: logger)
        }
        files = RevocationFileTask(clock: clock, logger: logger)
        files.follow(live.revocationFiles.map(\.file))
        receipts.use(routes(under: live))
    }

    /// What the apps of one configuration share.
    func dependencies(under live: LiveConfiguration) -> SchemeDependencies {
        SchemeDependencies(
            testRoots: live.testRoots, links: links,
            revocationLists: Dictionary(feeds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }),
            vendors: VendorAccess(
                client: client, teams: live.appleTeams.keys, callLimit: live.inquiryShare.questions, clock: clock,
                logger: logger), deviceAuthorities: live.provisioning?.anchors ?? [], preparations: preparations)
    }

    /// How receipts are exchanged, as the configuration has it.
    private func routes(under live: LiveConfiguration) -> [ReceiptExchangeRoute] {
        let dependencies = dependencies(under: live)
        return live.apps.flatMap { app in
            app.sections.flatMap { $0.section.receiptRoutes(of: app.id, dependencies) }
        }
    }

    /// The client is stopped after those who use it.
    var services: [any Service] { [client, receipts] + feeds }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("vendors", follows: [\.vendors, \.appleTeams, \.revocationLists]) { new in
                let exchange = try client.prepare(new.vendors)
                let routes = routes(under: new)
                return {
                    exchange()
                    receipts.use(routes)
                    for (feed, list) in zip(feeds, new.revocationLists.all) { feed.use(new.settings(of: list)) }
                    files.follow(new.revocationFiles.map(\.file))
                }
            }
        ]
    }
    var collectors: [any MetricsCollector] { [LinkCacheMetrics(links: links), client, inquiries] }
    var maintenanceTasks: [any MaintenanceTask] { [files] }
}
