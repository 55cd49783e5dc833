import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Testing

/// A device that registered once, and every way in which it stops being good.
@Suite("A registered device is judged by what holds today")
struct TodayTests {
    /// The daemon after a restart with another configuration, on the same ledger.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: ReasonCode?
        let check: String
        let profile: @Sendable () throws -> AppProfile

        init(_ name: String, _ code: ReasonCode?, _ check: String = "", _ profile: @escaping @Sendable () throws -> AppProfile)
        {
            (testDescription, self.code, self.check, self.profile) = (name, code, check, profile)
        }
    }

    private static func identity(
        _ appID: String = Handset.appID, _ platform: AppAttestIdentity.Platform = .iOS,
        _ environments: Set<AppAttestEnvironment> = [.production]
    ) -> AppAttestIdentity {
        AppAttestIdentity(appID: appID, platform: platform, environments: environments)
    }

    static let changes = [
        Change("nothing changed", nil) { try .testing(.camera) },
        Change("the test root was removed", .untrustedRoot, "chain_anchor") {
            try .testing(.camera, anchors: TrustAnchor.appAttest)
        },
        Change("another test root took its place", .untrustedRoot, "chain_anchor") {
            let other = try TrustAnchor(
                name: "other", pem: Handset.stranger.rootPEM, simulated: true)
            return try .testing(.camera, anchors: TrustAnchor.appAttest + [other])
        },
        Change("its environment is no longer allowed", .environmentMismatch, "environment") {
            try .testing(.camera, identities: [identity(Handset.appID, .iOS, [.development])])
        },
        Change("its App ID is no longer configured", .appIDMismatch, "app_id") {
            try .testing(.camera, identities: [identity("TEAMID1234.com.example.other")])
        },
        Change("its App ID is that of a Mac now", .appIDMismatch, "app_id") {
            try .testing(.camera, identities: [identity(Handset.appID, .macOS)])
        },
        Change("its category is no longer allowed", .categoryNotAllowed, "validation_category") {
            try .testing(.camera, policy: AppAttestPolicy(allowedValidationCategories: [2]))
        },
        Change("assertions are no longer accepted", .formatNotAccepted, "evidence") {
            try .testing(.camera, formats: [.appAttestAttestation])
        },
    ]

    @Test("when the configuration changes", arguments: changes)
    func configuration(_ change: Change) async throws {
        let ledger = WatchedLedger()
        let then = try await ServiceHarness(ledger: ledger)
        var (handset, device) = try await then.enrol()
        #expect(try await then.assert(&handset).isAccepted)
        let now = try await ServiceHarness([try change.profile()], ledger: ledger)
        let verdict = try await now.assert(&handset)
        #expect(verdict.rejection == change.code && verdict.check == change.check)
        #expect(
            verdict.simulated == !verdict.deviceID.isEmpty,
            "what was registered through a test root stays simulated")
        #expect(try await ledger.device(device)?.counter == (change.code == nil ? 2 : 1), "what is refused moves nothing")
        // Nothing of it is remembered: with the old configuration the device is good again.
        #expect(try await then.assert(&handset).isAccepted)
    }

    @Test("when an anchor of its own is removed, and is not simulated by that")
    func ownAnchor() async throws {
        let ledger = WatchedLedger()
        let own = try TrustAnchor(name: "own root", pem: Handset.authority.rootPEM, simulated: false)
        let then = try await ServiceHarness([try .testing(.camera, anchors: [own])], ledger: ledger)
        var (handset, _) = try await then.enrol()
        let good = try await then.assert(&handset)
        #expect(good.isAccepted && !good.simulated)
        let now = try await ServiceHarness([try .testing(.camera, anchors: TrustAnchor.appAttest)], ledger: ledger)
        #expect(try await now.assert(&handset).rejection == .untrustedRoot)
        // The same root, named as a test root now: what it vouches for is simulated from here on.
        let test = try await ServiceHarness([try .testing(.camera)], ledger: ledger)
        let simulated = try await test.assert(&handset)
        #expect(simulated.isAccepted && simulated.simulated)
    }

    @Test("when its app is not configured any more")
    func app() async throws {
        let ledger = WatchedLedger()
        let then = try await ServiceHarness(ledger: ledger)
        var (handset, _) = try await then.enrol()
        let request = try handset.assertion(try await then.challenge(.assert))
        let now = try await ServiceHarness([try .testing(.notes)], ledger: ledger)
        #expect(try await now.failure(request)?.reason == "unknown_app")
    }
}
