import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

@Suite("One use of a key attestation")
struct UseTests {
    @Test("One use of a key attestation is its key over a hash in an app, whether or not the root is sent")
    func use() throws {
        let authority = AndroidAuthority(seed: "uses")
        var device = VirtualAndroid(
            authority: authority,
            application: AttestedApplicationDraft("com.example.photos", signer: [UInt8](repeating: 1, count: 32)))
        let time = Timestamp(unixSeconds: 1_750_000_000)
        let (one, two) = (try device.makeKey(), try device.makeKey())
        let chain = try one.attest(challenge: [1], at: time)
        let verifier = KeyAttestationVerifier(anchors: [], policy: AndroidPolicy(apps: nil), links: LinkCache())
        let (photos, notes) = (try #require(AppID("photos")), try #require(AppID("notes")))
        func use(_ chain: [[UInt8]], _ app: AppID, _ vouched: [UInt8]) -> [UInt8] {
            verifier.use(
                of: Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain)), for: app, vouched: vouched)
        }
        #expect(use(chain, photos, [1]) == use(chain.dropLast(), photos, [1]))
        let others = [
            use(chain, photos, [2]), use(chain, notes, [1]), use(try two.attest(challenge: [1], at: time), photos, [1]),
            use([[0]], photos, [1]), use([], photos, [1]),
        ]
        #expect(Set(others + [use(chain, photos, [1])]).count == 6)
    }
}
