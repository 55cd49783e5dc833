import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

@Suite("A token beside an attested key")
struct AttestedKeyTests {
    let sample: SampleToken
    init() throws { sample = try SampleToken() }

    private func key(packages: [String] = [SampleToken.package], signers: [[UInt8]]? = nil) -> AttestedKey {
        AttestedKey(
            publicKeySHA256: [UInt8](repeating: 9, count: 32), packages: packages, signers: signers ?? [sample.signer])
    }

    @Test("A token beside an attested key supplements it and does not limit its assurance")
    func supplement() throws {
        let appraisal = try sample.judge(sample.standard, key: key(packages: ["com.example.other", SampleToken.package]))
        #expect(appraisal.failure == nil && appraisal.isSupplement)
        var strong = Appraisal(format: .keyAttestation)
        strong.assurance = .hardware
        #expect(Decision([strong, appraisal]) == .accept(.hardware))
    }

    @Test("A token beside an attested key must belong to the app that made the key")
    func app() throws {
        for packages in [[], ["com.example.other"], ["com.example.shop2"]] {
            #expect(try sample.judge(sample.standard, key: key(packages: packages)).code == "package_mismatch")
        }
        for signers in [[], [[UInt8](repeating: 1, count: 32)]] {
            #expect(try sample.judge(sample.standard, key: key(signers: signers)).code == "signer_mismatch")
        }
    }

    @Test("A token beside an attested key fails like any other")
    func refused() throws {
        var payload = sample.standard
        payload["deviceIntegrity"] = nil
        #expect(try sample.judge(payload, key: key()).code == "device_verdict")
    }
}
