import AssayCertificates
@testable import AssayConfiguration
import AssayCore
@testable import AssayDaemon
import AssayTesting
import AssayVendors
import Logging
import Testing


extension SchemeDependencies {
    /// Dependencies without any vendor.
    static func testing(_ configuration: Configuration? = nil) throws -> SchemeDependencies {
        let client = try VendorClient()
        let clock = FixedClock(Timestamp(unixSeconds: 1_800_000_000))
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let feed = RevocationFeed(
            name: "test",
            settings: RevocationFeed.Settings(
                address: Configuration.Feeds.AttestationStatus().address, path: "/", file: nil, isWanted: false),
            client: client, clock: clock, logger: logger)
        return SchemeDependencies(
            testRoots: configuration?.testRoots ?? [], links: LinkCache(), attestationStatus: feed,
            apple: AppleServices(configuration?.apple ?? .init(), client: client, clock: clock, logger: logger),
            google: GoogleServices(
                configuration?.google ?? .init(), client: client, callLimit: 32, clock: clock, logger: logger))
    }
}
