import AppAttest
import AssayCertificates
import AssayCore
import Testing

/// Registered devices whose evidence is a certificate: their keys say nothing at that moment.
@Suite("Registered App Attest devices")
struct AppAttestDeviceAppraiserTests {
    private let sample = SampleAssertion()

    private func judge(
        _ device: Device?, appID: String = "PREFIX.example.app", environments: Set<AppAttestEnvironment> = [.production],
        anchors: [TrustAnchor] = TrustAnchor.appAttest, policy: AppAttestPolicy = AppAttestPolicy()
    ) throws -> Appraisal {
        let device = try #require(device)
        let appraiser = AppAttestDeviceAppraiser(
            identities: [AppAttestIdentity(appID: appID, platform: .iOS, environments: environments)], anchors: anchors,
            policy: policy)
        #expect(appraiser.format == .appAttestAttestation && !appraiser.signsMessages)
        return Appraisal.build(.certificateBundle) { (appraisal) throws(Rejection) in
            try appraiser.judge(device, in: sample.context(device), &appraisal)
        }
    }

    @Test("A device is worth a secure element under today's identities, environments and anchors, and nothing without them")
    func today() throws {
        let good = try judge(try sample.device())
        #expect(good.failure == nil && good.assurance == .secureElement && !good.simulated)
        #expect(good.claims.text("app_id") == "PREFIX.example.app")
        #expect(try judge(try sample.device(simulated: true)).simulated)
        let refused: [(Appraisal, ReasonCode)] = [
            (try judge(try sample.device(), appID: "PREFIX.example.other"), .appIDMismatch),
            (try judge(try sample.device(), environments: [.development]), .environmentMismatch),
            (try judge(try sample.device(), anchors: []), .untrustedRoot),
            (try judge(try sample.device(format: .keyAttestation)), .unknownDevice),
            (
                try judge(
                    try sample.device(
                        claims: Claims([
                            .init(name: "validation_category", value: .integer(4)), .init(name: "flags", value: .integer(0x80)),
                        ])), policy: AppAttestPolicy(allowedValidationCategories: [2])), .categoryNotAllowed
            ),
            (try judge(try sample.device(), policy: AppAttestPolicy(requireExtensions: true)), .categoryMissing),
        ]
        for (appraisal, code) in refused { #expect(appraisal.failure?.code == code.rawValue) }
    }
}
