import AppAttest
import AssayCertificates
import AssayCore
import AssayFeeds

/// What a configuration makes of Apple's services.
struct AppleServices: Sendable {
    /// By team.
    private let tokens: [String: AppleTeamToken]
    private let apple: Configuration.Apple

    init(_ apple: Configuration.Apple, clock: any WallClock) {
        self.apple = apple
        tokens = Dictionary(
            apple.teams.map { ($0.teamID, AppleTeamToken($0, clock: clock)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The lanes of the apps that want their receipts exchanged: one for each environment that they allow.
    func lanes(of apps: [Configuration.App], testRoots: [TrustAnchor], links: LinkCache) -> [ReceiptLane] {
        apps.flatMap { app -> [ReceiptLane] in
            guard let section = app.appAttest, let rule = section.exchange, let token = tokens[rule.teamID] else { return [] }
            let reader = AppAttestReceiptReader(
                verifier: ReceiptVerifier(anchors: section.receiptAnchors(with: testRoots), links: links))
            let environments = AppAttestEnvironment.allCases.filter { environment in
                section.identities.contains { $0.environments.contains(environment) }
            }
            return environments.map { environment in
                ReceiptLane(
                    queue: ReceiptQueue(app: app.id, environment: environment.rawValue), address: apple.receipts[environment],
                    teamID: rule.teamID, token: token, isBearer: apple.isBearer, period: rule.period, reader: reader)
            }
        }
    }
}
