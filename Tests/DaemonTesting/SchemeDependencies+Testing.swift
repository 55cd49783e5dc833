import AssayApps
import AssayCertificates
import AssayCore
import AssaySchemes
import AssayService
import AssayTesting
import AssayVendors
import Logging

@testable import AssayConfiguration
@testable import AssayDaemon

extension SchemeDependencies {
    /// Dependencies of tests: a client that no test asks, and no list.
    static func testing() throws -> SchemeDependencies {
        return SchemeDependencies(
            testRoots: [],
            vendors: VendorAccess(
                client: try VendorClient(), teams: [], callLimit: 32,
                clock: FixedClock(Timestamp(unixSeconds: 1_800_000_000)),
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
    }
}

extension AppProfile {
    /// The profile of an app under the built-in schemes.
    convenience init(_ app: AppConfiguration, in dependencies: SchemeDependencies) {
        self.init(app, of: builtInSchemes, in: dependencies, logger: .silent)
    }
}

extension Inspection {
    init(_ input: InspectionInput, under app: AppConfiguration?, testRoots: [TrustAnchor] = []) {
        self.init(
            input, for: InspectionSubject(app: app?.id, sections: app?.sectionsByKey ?? [:], testRoots: testRoots))
    }
}

extension Daemon {
    /// The fetched list of revoked attestation certificates.
    var attestationStatus: RevocationFeed { revocationFeeds[0] }
}
