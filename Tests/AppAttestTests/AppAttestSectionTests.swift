import AssayCertificates
import AssayCore
import AssaySchemes
import AssayTesting
import AssayVendors
import Crypto
import Logging
import Testing

@testable import AppAttest

@Suite("App Attest section")
struct AppAttestSectionTests {
    /// A section with a value in each field.
    private static let section = AppAttestSection(
        identities: [AppAttestIdentity(appID: "ABCDE12345.com.example.photos", platform: .iOS)],
        policy: AppAttestPolicy(
            allowedValidationCategories: [4], allowedBundleVersions: [OpaqueText("1.0")],
            receipt: ReceiptRule(mode: .require, maxAgeMilliseconds: 300_000, maxRiskMetric: 4)),
        exchange: ReceiptExchangeRule(teamID: "ABCDE12345", period: 2 * 86_400_000))

    private static func digest(_ section: AppAttestSection, testRoots: [TrustAnchor] = []) -> [UInt8] {
        var policy = PolicyText("test")
        section.describe(in: &policy, testRoots: testRoots)
        return policy.digest
    }

    private static func coverage(
        _ variations: [String: (inout AppAttestSection) -> Void]
    ) -> DigestCoverage<AppAttestSection> {
        DigestCoverage(
            base: section, digest: { digest($0) }, variations: variations,
            unrelated: [
                "identities.appID": "its hash is in the digest",
                "exchange": "receipts are exchanged after a verdict; what follows from their metric is in the policy",
                "receiptService": "a receipt is trusted by its signature, wherever it comes from",
            ])
    }

    @Test("The policy digest covers every field of the section and of its policy")
    func everyField() {
        let (other, receipts) = ("ABCDE12345.com.example.other", TrustAnchor.appAttestReceipt)
        let coverage = Self.coverage([
            "identities": { $0.identities.append(AppAttestIdentity(appID: other, platform: .iOS)) },
            "identities.platform": {
                $0.identities = $0.identities.map { AppAttestIdentity(appID: $0.appID ?? "", platform: .macOS) }
            },
            "identities.rpIDHash": { $0.identities = [AppAttestIdentity(appID: other, platform: .iOS)] },
            "identities.environments": {
                $0.identities = $0.identities.map {
                    AppAttestIdentity(appID: $0.appID ?? "", platform: .iOS, environments: [.development])
                }
            },
            "policy.allowedValidationCategories": { $0.policy.allowedValidationCategories = [3, 4] },
            "policy.allowedBundleVersions": { $0.policy.allowedBundleVersions = nil },
            "policy.requireExtensions": { $0.policy.requireExtensions.toggle() },
            "policy.counterRule": { $0.policy.counterRule = .strictlyIncreasing },
            "policy.acceptImported": { $0.policy.acceptImported.toggle() },
            "policy.receipt.mode": { $0.policy.receipt.mode = .report },
            "policy.receipt.maxAgeMilliseconds": { $0.policy.receipt.maxAgeMilliseconds += 1 },
            "policy.receipt.maxRiskMetric": { $0.policy.receipt.maxRiskMetric = nil },
            "policy.receipt.rejectsHighRisk": { $0.policy.receipt.rejectsHighRisk.toggle() },
            "extraRoots": { $0.extraRoots += receipts },
        ])
        #expect(coverage.problems == [])
    }

    @Test("The policy digest covers test roots, and no order of identities")
    func roots() throws {
        var both = Self.section
        both.identities.append(AppAttestIdentity(appID: "ABCDE12345.com.example.other", platform: .iOS))
        var turned = both
        turned.identities.reverse()
        #expect(Self.digest(both) == Self.digest(turned))
        #expect(Self.digest(both) != Self.digest(both, testRoots: TrustAnchor.appAttestReceipt))
    }

    @Test("The policy digest of a known section stays: audit records of earlier versions name it")
    func known() {
        #expect(Hex.encode(Self.digest(Self.section)) == "abb0bb7ea48a7fc8d7a0e24f5e98b57aaa2d02410717f60203c3a10e9703b98e")
    }

    // MARK: Reading

    /// Reads the text under `app_attest`, beside no team and a receipt service of the configuration's own.
    private func read(_ text: String) throws -> (section: AppAttestSection?, reader: ConfigurationReader) {
        let reader = ConfigurationReader(file: "test.yaml")
        let top = try reader.open("app_attest: \(text)")
        var service = AppAttestScheme.receipts.addresses
        service.chosen["authorization"] = "bearer"
        let shared = SharedSettings(
            files: ConfigurationFiles(folder: "/"), appleTeams: AppleTeams(), googleOAuth: service.production,
            services: [AppAttestScheme.receipts.path: service], lists: [:])
        let section = top.optional("app_attest").flatMap { AppAttestScheme.read($0, shared) }
        return (section as? AppAttestSection, reader)
    }

    @Test("A section needs App IDs only, and keeps the address of the receipt service")
    func least() throws {
        let (section, reader) = try read("{identities: [{app_id: ABCDE12345.com.example.photos}]}")
        #expect(reader.problems.isEmpty && reader.findings.isEmpty)
        #expect(section?.identities == Self.section.identities)
        #expect(section?.policy == AppAttestPolicy())
        #expect(section?.exchange == nil && section?.extraRoots == [])
        #expect(section?.receiptService.chosen["authorization"] == "bearer")
        #expect(AppAttestScheme.receipts.path == "apple.receipts")
    }

    @Test("Problems and findings name the way to their value")
    func problems() throws {
        let (section, reader) = try read(
            "{identities: [{app_id: photos.app}], counter: strict, receipt: {exchange: {}, high_risk: reject}}")
        #expect(section?.policy.counterRule == .strictlyIncreasing)
        #expect(reader.findings.map(\.path) == ["app_attest.identities[0].app_id", "app_attest.counter"])
        #expect(reader.problems.map(\.path) == ["app_attest.receipt.exchange", "app_attest.receipt.high_risk"])
        #expect(try read("{identities: []}").section == nil)
    }

    // MARK: Receipts

    private static func dependencies(_ teams: [String]) throws -> SchemeDependencies {
        let clock = FixedClock(Timestamp(unixSeconds: 1_750_000_000))
        let keys = try teams.map {
            try AppleTeamKey(teamID: $0, keyID: "2X9R4HXF34", pem: P256.Signing.PrivateKey().pemRepresentation)
        }
        return SchemeDependencies(
            testRoots: [],
            vendors: VendorAccess(
                client: try VendorClient(), teams: keys, callLimit: 1,
                clock: clock, logger: LogBook().logger))
    }

    @Test("Receipts take one route for each environment that the app allows")
    func routes() throws {
        let app = try #require(AppID("photos"))
        var section = Self.section
        let production = "https://data.appattest.apple.com"
        let development = "https://data-development.appattest.apple.com"
        let one = section.receiptRoutes(of: app, try Self.dependencies(["ABCDE12345"]))
        #expect(one.map(\.queue) == [ReceiptQueue(app: app, environment: "production")])
        #expect(one.map(\.address.description) == [production])
        let twoDays: Int64 = 2 * 86_400_000
        #expect(one.map(\.period) == [twoDays])
        #expect(one.map(\.isBearer) == [false])
        section.identities.append(
            AppAttestIdentity(appID: "ABCDE12345.com.example.other", platform: .iOS, environments: [.development]))
        section.receiptService.chosen["authorization"] = "bearer"
        let two = section.receiptRoutes(of: app, try Self.dependencies(["ABCDE12345"]))
        #expect(two.map(\.queue.environment) == ["development", "production"])
        #expect(two.map(\.address.description) == [development, production])
        #expect(two.map(\.isBearer) == [true, true])
        #expect(section.serviceCalls.map(\.address) == [development, production])
        let purposes = Set(section.serviceCalls.map(\.purpose))
        #expect(purposes == [.init("receipt_exchange", "newer App Attest receipts")])
    }

    @Test("Receipts are not exchanged without a rule, a key of the team, or a way to services")
    func noRoutes() throws {
        let app = try #require(AppID("photos"))
        #expect(Self.section.receiptRoutes(of: app, SchemeDependencies(testRoots: [])).isEmpty)
        #expect(Self.section.receiptRoutes(of: app, try Self.dependencies(["FGHIJ67890"])).isEmpty)
        var section = Self.section
        section.exchange = nil
        #expect(section.receiptRoutes(of: app, try Self.dependencies(["ABCDE12345"])).isEmpty)
        #expect(section.serviceCalls.isEmpty && section.serviceSummary.isEmpty)
    }

    // MARK: What people are told

    @Test("The section says which apps it accepts, how it exchanges receipts, and how long an attestation is good")
    func told() {
        #expect(Self.section.summary == ["App Attest of ABCDE12345.com.example.photos (production)"])
        #expect(Self.section.serviceSummary == ["exchanges receipts every 2 days as team ABCDE12345"])
        #expect(Self.section.evidenceLifetime?.milliseconds == 600_000)
        var section = Self.section
        section.policy.receipt.mode = .report
        #expect(section.evidenceLifetime == nil)
    }

    @Test("Rules that no device meets are findings at their keys")
    func findings() {
        func paths(_ section: AppAttestSection) -> [String] {
            section.findings(beside: [:], at: Timestamp(unixSeconds: 1_750_000_000)).map(\.path)
        }
        #expect(paths(Self.section) == [])
        var section = Self.section
        section.policy.allowedValidationCategories = [6]
        #expect(paths(section) == ["app_attest.validation_categories"])
        section.policy.allowedValidationCategories = [2, 4]
        #expect(paths(section) == [])
        section.identities = section.identities.map {
            AppAttestIdentity(appID: $0.appID ?? "", platform: $0.platform, environments: [.development])
        }
        #expect(paths(section) == ["app_attest.validation_categories"], "the App Store attests in production")
        section.policy.allowedValidationCategories = [3, 4]
        #expect(paths(section) == [])
        section.policy.allowedValidationCategories = [1, 4]
        section.policy.receipt.maxRiskMetric = 0
        #expect(paths(section) == ["app_attest.validation_categories", "app_attest.receipt.max_risk_metric"])
    }
}
