import AssayCore
import AssayFeeds
import Logging

/// What a configuration makes of Google's services.
struct GoogleServices: Sendable {
    private let google: Configuration.Google
    private let client: VendorClient
    private let clock: any WallClock
    private let logger: Logger

    init(_ google: Configuration.Google, client: VendorClient, clock: any WallClock, logger: Logger) {
        (self.google, self.client, self.clock, self.logger) = (google, client, clock, logger)
    }

    /// Who is asked to decode an app's Play Integrity tokens.
    func playVendor(_ rule: PlayDecodeRule) -> PlayDecodeClient {
        let access = GoogleAccess(
            rule.account, scope: PlayDecodeClient.scope, address: google.oauth, client: client, clock: clock)
        return PlayDecodeClient(
            client: client, address: google.playIntegrity, package: rule.package, access: access, clock: clock,
            logger: logger)
    }
}
