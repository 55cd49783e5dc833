import AssayConfiguration
import AssayCore
import AssayVendors
import Logging

/// What a configuration makes of Google's services.
struct GoogleServices: Sendable {
    private let google: Configuration.Google
    private let client: VendorClient
    private let callLimit: Int
    private let clock: any WallClock
    private let logger: Logger

    /// - Parameter callLimit: questions about the tokens of one app that may be under way at a time.
    init(_ google: Configuration.Google, client: VendorClient, callLimit: Int, clock: any WallClock, logger: Logger) {
        (self.google, self.client, self.callLimit) = (google, client, callLimit)
        (self.clock, self.logger) = (clock, logger)
    }

    /// Who is asked to decode an app's Play Integrity tokens.
    func playVendor(_ rule: PlayDecodeRule) -> PlayDecodeClient {
        let access = GoogleAccess(
            rule.account, scope: PlayDecodeClient.scope, address: google.oauth, client: client, clock: clock)
        return PlayDecodeClient(
            client: client, address: google.playIntegrity, package: rule.package, access: access,
            callLimit: callLimit, clock: clock, logger: logger)
    }
}
