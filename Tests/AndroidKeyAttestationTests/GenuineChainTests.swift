import AssayCertificates
import AssayCore
import AssayEncoding
import AssayTesting
import Testing

@testable import AndroidKeyAttestation

/// Genuine chains, whose verdicts the conformance tests check: here their other facts.
@Suite("Genuine chains", .enabled(if: SharedVector.folder != nil))
struct GenuineChainTests {
    private func vector(_ id: String) throws -> SharedVector { try #require(try SharedVector(id)) }

    @Test("A genuine chain registers its key, its attestation key and its serial numbers")
    func registration() throws {
        let vector = try vector("google-caiman-sdk36-sb-ec-rkp")
        let appraisal = vector.appraise()
        #expect(appraisal.failure == nil && appraisal.assurance == .secureElement && !appraisal.simulated)
        guard case .register(let registration) = appraisal.effect else {
            Issue.record("nothing is registered")
            return
        }
        let leaf = try Certificate(der: try #require(vector.certificates.first)[...])
        let attesting = try Certificate(der: try #require(vector.certificates.dropFirst().first)[...])
        #expect(registration.keyID == leaf.publicKey.sha256 && registration.publicKey.elementsEqual(leaf.publicKey.der))
        #expect(registration.attestationKey == attesting.publicKey.sha256)
        #expect(registration.environment == "hardware" && registration.format == .keyAttestation)
        #expect(registration.anchor == TrustAnchor.googleHardware.first?.publicKeySHA256)
        #expect(registration.chainSerials.count == 5 && registration.chainSerials.first == [1])
        #expect(appraisal.attestedKey?.publicKeySHA256 == registration.keyID)
        #expect(appraisal.certifiableKey == registration.keyID)
        #expect(appraisal.attestedKey?.packages == ["com.google.android.attestation"])
        #expect(appraisal.attestedKey?.signers.count == 1)
        #expect(KeyFacts(registration.claims)?.level == .strongBox)
    }

    @Test("A genuine chain is located by its attestation key, and an unreadable one by nothing")
    func locate() throws {
        let vector = try vector("google-caiman-sdk36-sb-ec-rkp")
        let verifier = KeyAttestationVerifier(anchors: [], policy: AndroidPolicy(apps: nil), links: LinkCache())
        let attesting = try Certificate(der: try #require(vector.certificates.dropFirst().first)[...])
        #expect(try verifier.locate(vector.evidence()) == Needs(attestationKey: attesting.publicKey.sha256, revocation: true))
        #expect(try verifier.locate(vector.evidence([[1], [2]])) == .revocation)
        #expect(try verifier.locate(vector.evidence([[1]])) == .revocation)
        #expect(try verifier.locate(Evidence(format: .keyAttestation, keyID: [], body: [1, 2, 3])) == .revocation)
    }

    @Test(
        "A chain that was read to locate it, or whose issuers were seen before, is appraised like any other",
        arguments: ["google-caiman-sdk36-sb-ec-rkp", "worldcoin-strongbox-2026", "google-sony-xperia10-iii-sdk33-tee-ec"])
    func readings(_ id: String) throws {
        let vector = try vector(id)
        let verifier = KeyAttestationVerifier(anchors: vector.anchors, policy: AndroidPolicy(apps: nil), links: LinkCache())
        var damaged = vector.certificates
        damaged[0].removeLast()
        for certificates in [vector.certificates, damaged, Array(vector.certificates.prefix(1))] {
            let evidence = vector.evidence(certificates)
            let fresh = vector.appraise(certificates)
            for _ in 0..<2 {
                let reading = try #require(try verifier.locate(evidence).reading.value)
                for context in [vector.context(reading: reading), vector.context()] {
                    let appraisal = verifier.appraise(evidence, in: context)
                    #expect(appraisal.findings == fresh.findings && appraisal.claims == fresh.claims)
                }
            }
        }
    }

    @Test("A genuine chain's leniencies and quirks are reported")
    func notes() throws {
        let strongBox = try vector("worldcoin-strongbox-2026").appraise()
        #expect(strongBox.failure == nil)
        let codes = Set(strongBox.findings.filter { $0.check == "certificates" && $0.outcome == .note }.map(\.code))
        #expect(codes == ["ecdsa_with_null", "generalized_time_before_2050"])
        let quirk = try vector("google-invalid-malformed-rot-device-locked").appraise()
        #expect(quirk.findings.contains { $0.check == "key_description" && $0.code == "boolean_not_der" })
        let unknown = try vector("synthetic-unknown-tag-a").appraise()
        #expect(unknown.findings.contains { $0.code == "unknown_tags" } && unknown.simulated)
        #expect(unknown.findings.contains { $0.code == "revocation_not_consulted" })
    }

    @Test("A genuine chain has the class, level and dates that its names state")
    func classes() throws {
        let expected: [(String, String, String)] = [
            ("google-caiman-sdk36-sb-ec-rkp", "rkp", "not_before_and_not_after"),
            ("google-sony-xperia10-iii-sdk33-tee-ec", "factory", "not_before_only"),
            ("grapheneos-taimen-2018", "factory", "not_before_only"),
            ("google-tegu-sdk36-tee-ec-2026-root", "rkp", "not_before_and_not_after"),
        ]
        for (id, provisioning, profile) in expected {
            let claims = try vector(id).appraise().claims
            #expect(claims.text("provisioning") == provisioning && claims.text("validity_profile") == profile, "\(id)")
        }
        #expect(try vector("google-caiman-sdk36-sb-ec-rkp").appraise().claims.integer("provisioning_count") != nil)
    }

    @Test("A genuine chain for another key than the caller names is refused")
    func keyID() throws {
        let vector = try vector("warden-pixel6")
        let keyID = try Certificate(der: try #require(vector.certificates.first)[...]).publicKey.sha256
        #expect(vector.appraise(keyID: keyID).failure == nil)
        #expect(vector.appraise(keyID: keyID.reversed()).failure?.code == "key_id_mismatch")
    }

    @Test("A genuine chain for a kind of key that the app does not allow is refused")
    func kinds() throws {
        let vector = try vector("warden-pixel6")
        #expect(vector.appraise(policy: AndroidPolicy(apps: nil, key: KeyRule(kinds: [.p256, .rsa]))).failure == nil)
        let failure = vector.appraise(policy: AndroidPolicy(apps: nil, key: KeyRule(kinds: [.mlDSA65]))).failure
        #expect(failure?.code == "key_type")
    }

    @Test("Too many devices of one attestation key are refused only if the app says so")
    func overuse() throws {
        let vector = try vector("warden-pixel6")
        let use = AttestationKeyUse(lastDay: 100)
        #expect(vector.appraise(use: use).failure == nil)
        let strict = AndroidPolicy(apps: nil, provisioning: RemoteKeyProvisioningRule(refusesOveruse: true))
        #expect(vector.appraise(policy: strict, use: use).failure?.code == "attestation_key_overused")
    }

    @Test("The link cache keeps links of shared issuers, and none of one device's own")
    func links() throws {
        let links = LinkCache()
        #expect(try vector("google-caiman-sdk36-sb-ec-rkp").appraise(links: links).failure == nil)
        #expect(links.count == 3, "both certificates of Google, and the root")
        #expect(try vector("google-sony-xperia10-iii-sdk33-tee-ec").appraise(links: links).failure == nil)
        #expect(links.count == 6, "the batch certificate too")
    }

    @Test("No claim is made before a genuine chain's path is validated")
    func silence() throws {
        let vector = try vector("warden-pixel6")
        var broken = vector.certificates
        broken[0][broken[0].count - 1] ^= 1
        let appraisal = vector.appraise(broken)
        #expect(appraisal.failure?.code == "bad_signature" && appraisal.claims.all.isEmpty && appraisal.attestedKey == nil)
    }

    @Test("Chains beyond the limits of number and size are refused")
    func sizes() throws {
        let vector = try vector("warden-pixel6")
        let leaf = try #require(vector.certificates.first)
        #expect(vector.appraise([]).failure?.code == "bad_chain")
        #expect(vector.appraise([leaf]).failure?.code == "bad_chain")
        #expect(vector.appraise([[UInt8]](repeating: leaf, count: 9)).failure?.code == "bad_chain")
        let large = [[UInt8]](repeating: [UInt8](repeating: 0, count: 33_000), count: 2)
        #expect(vector.appraise(large).failure?.code == "evidence_too_large")
        #expect(vector.appraise([leaf, leaf]).failure?.code == "name_chaining")
    }

    /// Every byte is signed, is a signature, must agree with signed bytes, or belongs to the structure; a root that was sent is
    /// covered by its own signature.
    @Test(
        "A genuine chain with any byte changed is refused",
        arguments: [
            "google-caiman-sdk36-sb-ec-rkp", "google-sony-xperia10-iii-sdk33-tee-ec", "worldcoin-strongbox-2026",
            "google-tegu-sdk36-tee-ec-2026-root", "grapheneos-taimen-2018",
        ])
    func bytes(_ id: String) throws {
        let vector = try vector(id)
        let body = vector.evidence().body
        // It has seen the issuers as they are.
        let verifier = KeyAttestationVerifier(anchors: vector.anchors, policy: AndroidPolicy(apps: nil), links: LinkCache())
        let context = AppraisalContext(binding: Binding(callerOwned: vector.challenge), now: vector.time)
        #expect(verifier.appraise(vector.evidence(), in: context).failure == nil)
        for index in body.indices {
            for change: UInt8 in [1 << UInt8(index % 8), 0xFF] {
                var mutant = body
                mutant[index] ^= change
                let appraisal = verifier.appraise(Evidence(format: .keyAttestation, keyID: [], body: mutant), in: context)
                #expect(appraisal.failure != nil, "byte \(index) ^ \(change)")
            }
        }
    }

    @Test(
        "A genuine chain with bytes dropped, inserted, moved or repeated is refused",
        arguments: ["google-caiman-sdk36-sb-ec-rkp", "worldcoin-strongbox-2026", "warden-aksattest-json"])
    func structure(_ id: String) throws {
        let vector = try vector(id)
        let body = vector.evidence().body
        let verifier = KeyAttestationVerifier(
            anchors: vector.anchors, policy: AndroidPolicy(apps: nil), links: LinkCache(capacity: 0))
        let context = AppraisalContext(binding: Binding(callerOwned: vector.challenge), now: vector.time)
        var numbers = SeededNumbers(seed: 22)
        for _ in 0..<2000 {
            let (a, b) = (Int.random(in: body.indices, using: &numbers), Int.random(in: body.indices, using: &numbers))
            let stretch = min(a, b)..<min(max(a, b), min(a, b) + 64)
            var mutant = body
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: mutant.remove(at: a)
            case 1: mutant.insert(UInt8.random(in: 0...255, using: &numbers), at: a)
            case 2: mutant.removeSubrange(stretch)
            default: mutant.insert(contentsOf: body[stretch], at: b)
            }
            guard mutant != body else { continue }
            let appraisal = verifier.appraise(Evidence(format: .keyAttestation, keyID: [], body: mutant), in: context)
            #expect(appraisal.failure != nil)
        }
    }
}
