import AssayCertificates
import AssayCore
import AssaySchemes
import AssayTesting
import AssayVendors
import DeviceCheck
import Testing

@Suite("DeviceCheck section")
struct DeviceCheckSectionTests {
    private let service = VendorServiceDeclaration(
        "device_check", of: .apple, production: "api.devicecheck.apple.com",
        development: "api.development.devicecheck.apple.com")

    private var section: DeviceCheckSection {
        DeviceCheckSection(
            teamID: "ABCDE12345", address: service.addresses.production,
            policy: DeviceCheckPolicy(refusedBits: [.bit0], spendsTokenFor: 600_000))
    }

    private func digest(_ section: DeviceCheckSection) -> [UInt8] {
        var policy = PolicyText("test")
        section.describe(in: &policy, testRoots: [])
        return policy.digest
    }

    @Test("The policy digest covers every field of the section and of its policy")
    func everyField() throws {
        let other = try #require(service.addresses.development)
        let coverage = DigestCoverage(
            base: section, digest: digest,
            variations: [
                "teamID": { $0.teamID = "FGHIJ67890" },
                "address": { $0.address = other },
                "policy.refusedBits": { $0.policy.refusedBits = [] },
                "policy.spendsTokenFor": { $0.policy.spendsTokenFor += 1 },
            ])
        #expect(coverage.problems == [])
    }

    @Test("The policy digest of a known section stays: audit records of earlier versions name it")
    func known() {
        #expect(Hex.encode(digest(section)) == "f9165299fdb06549380202505fd4ca5d9706da3a2453e64480cd3f2dcc6ffb16")
    }

    @Test("The scheme declares Apple's service in both environments")
    func declaration() {
        #expect(DeviceCheckScheme.services == [service])
        #expect(DeviceCheckScheme.sectionKey == "device_check")
        #expect(!DeviceCheckScheme.registersDevices)
    }

    @Test("The section says what is asked, of which service, and how long a token is kept")
    func told() {
        #expect(section.serviceSummary == ["DeviceCheck as team ABCDE12345, asked of api.devicecheck.apple.com"])
        #expect(
            section.serviceCalls == [
                ServiceCall(
                    "https://api.devicecheck.apple.com", for: .init("device_check", "what DeviceCheck tokens say"),
                    whileCallerWaits: true)
            ])
        #expect(section.evidenceLifetime?.milliseconds == 600_000)
        #expect(section.evidenceLifetime?.reason == "device_check.spend_token_for is that long")
    }

    @Test("Without a way to services no token can be asked about, and the verifier stays")
    func tools() {
        let dependencies = SchemeDependencies(testRoots: [])
        #expect(section.answerSources(dependencies).isEmpty)
        #expect(section.verifiers(dependencies).map(\.format) == [.deviceCheck])
    }
}
