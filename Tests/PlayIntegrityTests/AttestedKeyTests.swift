import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

@Suite("A token beside an attested key")
struct AttestedKeyTests {
    let maker: TokenMaker
    init() throws { maker = try TokenMaker() }

    private func key(packages: [String] = [TokenMaker.package], signers: [[UInt8]]? = nil) -> AttestedKey {
        AttestedKey(
            publicKeySHA256: [UInt8](repeating: 9, count: 32), packages: packages, signers: signers ?? [maker.signer])
    }

    @Test("adds to it and does not bound its assurance")
    func supplement() throws {
        let appraisal = try maker.judge(maker.standard, key: key(packages: ["com.example.other", TokenMaker.package]))
        #expect(appraisal.failure == nil && appraisal.isSupplement)
        var strong = Appraisal(format: .keyAttestation)
        strong.assurance = .hardware
        #expect(Decision([strong, appraisal]) == .accept(.hardware))
    }

    @Test("is of the app that made the key")
    func app() throws {
        for packages in [[], ["com.example.other"], ["com.example.shop2"]] {
            #expect(try maker.judge(maker.standard, key: key(packages: packages)).code == "package_mismatch")
        }
        for signers in [[], [[UInt8](repeating: 1, count: 32)]] {
            #expect(try maker.judge(maker.standard, key: key(signers: signers)).code == "signer_mismatch")
        }
    }

    @Test("fails like any other where it says something bad")
    func refused() throws {
        var payload = maker.standard
        payload["deviceIntegrity"] = nil
        #expect(try maker.judge(payload, key: key()).code == "device_verdict")
    }
}
