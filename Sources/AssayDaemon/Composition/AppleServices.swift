import AppAttest
import AssayCertificates
import AssayConfiguration
import AssayCore
import AssayService
import AssayVendors
import Logging

/// What a configuration makes of Apple's services.
struct AppleServices: Sendable {
    /// By team.
    private let tokens: [String: AppleTeamToken]
    private let apple: Configuration.Apple
    private let client: VendorClient
    private let clock: any WallClock
    private let logger: Logger

    init(_ apple: Configuration.Apple, client: VendorClient, clock: any WallClock, logger: Logger) {
        (self.apple, self.client, self.clock, self.logger) = (apple, client, clock, logger)
        tokens = Dictionary(
            apple.teams.map { ($0.teamID, AppleTeamToken($0, clock: clock)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Who is asked about an app's DeviceCheck tokens. The configuration names no team that it has no key of.
    func deviceCheckVendor(_ section: Configuration.App.DeviceCheck) -> DeviceCheckClient? {
        tokens[section.teamID].map { token in
            DeviceCheckClient(client: client, address: section.address, token: token, clock: clock, logger: logger)
        }
    }

    /// The routes of the apps whose receipts are exchanged: one for each environment that an app allows.
    func routes(of apps: [Configuration.App], testRoots: [TrustAnchor], links: LinkCache) -> [ReceiptExchangeRoute] {
        apps.flatMap { app -> [ReceiptExchangeRoute] in
            guard let section = app.appAttest, let rule = section.exchange, let token = tokens[rule.teamID] else { return [] }
            let reader = AppAttestReceiptReader(
                verifier: ReceiptVerifier(anchors: section.receiptAnchors(with: testRoots), links: links))
            let environments = AppAttestEnvironment.allCases.filter { environment in
                section.identities.contains { $0.environments.contains(environment) }
            }
            return environments.map { environment in
                ReceiptExchangeRoute(
                    queue: ReceiptQueue(app: app.id, environment: environment.rawValue), address: apple.receipts[environment],
                    teamID: rule.teamID, token: token, isBearer: apple.isBearer, period: rule.period, reader: reader)
            }
        }
    }
}
