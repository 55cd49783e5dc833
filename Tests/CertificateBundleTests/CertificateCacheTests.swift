import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Synchronization
import Testing

@testable import CertificateBundle

/// What is judged of a certificate that the verifier has seen before.
@Suite("Certificates seen before")
struct CertificateCacheTests {
    private var fleet: Fleet

    init() throws { fleet = try Fleet() }

    private func appraise(
        _ json: [UInt8], _ verifier: CertificateBundleVerifier, facts: Facts? = nil, now: Timestamp = Fleet.now,
        examination: Examination? = nil, report: VerdictReport = .first
    ) -> Appraisal {
        verifier.appraise(
            CertificateBundle.json(json).evidence,
            in: AppraisalContext(
                binding: .inEvidence, facts: facts ?? Facts(device: fleet.device(), submissions: 0), now: now,
                examination: examination, report: report))
    }

    /// The camera's certificate in a PEM file, with that of its CA.
    private func pem(_ der: [UInt8]) -> CameraBundleChanges {
        let file = PEM.encode(der) + fleet.authority.issuingPEM
        return .genuine.members { $0.certificate = Base64.standard.encode(Array(file.utf8)) }
    }

    @Test("The second bundle of a certificate has the needs, findings and claims of the first", arguments: [false, true])
    func same(isPEM: Bool) throws {
        var fleet = fleet
        fleet.isOwn = true
        let der = try fleet.certificate()
        let changes = isPEM ? pem(der) : .genuine
        let facts = Facts(device: fleet.device(), certificate: try fleet.record(of: der), submissions: 0)
        let verifier = try fleet.verifier()
        let first = try fleet.bundle(changes, certificate: der)
        let needs = try verifier.locate(CertificateBundle.json(first).evidence)
        let unseen = appraise(first, verifier, facts: facts)
        #expect(unseen.outcome == "accepted" && verifier.known.count == 1)
        let (seenNeeds, seen) = (
            try verifier.locate(CertificateBundle.json(first).evidence), appraise(first, verifier, facts: facts)
        )
        #expect(seen.findings == unseen.findings && seen.claims == unseen.claims && seen.assurance == unseen.assurance)
        #expect(seen.restsOn == unseen.restsOn && seen.imageDigest == unseen.imageDigest && seen.simulated == unseen.simulated)
        #expect(seenNeeds.deviceKeyID == needs.deviceKeyID && seenNeeds.certificate == needs.certificate)
        #expect(seenNeeds.statement == needs.statement && needs.deviceKeyID != nil)
        // Another statement of the same camera, in the other encoding of the same certificate, which is an entry of its own.
        let other = try fleet.bundle(isPEM ? .genuine : pem(der), certificate: der, locationHash: Fleet.imageHash)
        #expect(appraise(other, verifier, facts: facts).outcome == "accepted" && verifier.known.count == 2)
        #expect(try fleet.verifier().known.count == 0, "each verifier trusts by itself")
    }

    @Test("A certificate seen before is refused before its time and after it, and its CA after its end")
    func dates() throws {
        let day: Int64 = 86_400_000
        let der = try fleet.certificate {
            $0.notBefore = Fleet.now.adding(milliseconds: -day)
            $0.notAfter = Fleet.now.adding(milliseconds: 5_000 * day)
        }
        let verifier = try fleet.verifier()
        #expect(appraise(try fleet.bundle(certificate: der), verifier).outcome == "accepted")
        for (offset, code, check) in [
            (-2 * day, "not_yet_valid", "chain_validity"), (6_000 * day, "expired", "chain_validity"),
            (4_000 * day, "expired", "authority_validity"),
        ] {
            let now = Fleet.now.adding(milliseconds: offset)
            let json = try fleet.bundle(certificate: der, at: now)
            let seen = appraise(json, verifier, now: now)
            #expect(seen.outcome == code && seen.failure?.check == check)
            let unseen = appraise(json, try fleet.verifier(), now: now)
            #expect(seen.findings == unseen.findings)
            let all = appraise(json, verifier, now: now, report: .all)
            #expect(all.findings == appraise(json, try fleet.verifier(), now: now, report: .all).findings)
        }
        #expect(appraise(try fleet.bundle(certificate: der), verifier).outcome == "accepted")
    }

    @Test("Signature, record, device and revocation of a certificate seen before are judged at every use")
    mutating func everyUse() throws {
        let list = CountedList()
        fleet.lists = [IssuerRevocationList(issuer: try fleet.anchors[0].publicKeySHA256, source: list)]
        let der = try fleet.certificate()
        let json = try fleet.bundle(certificate: der)
        let verifier = try fleet.verifier()
        #expect(appraise(json, verifier).outcome == "accepted" && verifier.known.count == 1)
        let other = TestSigningKey(.p256, seed: "fleet", label: "other")
        #expect(appraise(try fleet.bundle(.genuine.signer(other), certificate: der), verifier).outcome == "bad_signature")
        #expect(appraise(json, verifier, facts: Facts(submissions: 0)).outcome == "unknown_device")
        let revoked = try fleet.record(of: der, revoked: .keyCompromise)
        #expect(
            appraise(json, verifier, facts: Facts(device: fleet.device(), certificate: revoked, submissions: 0)).outcome
                == "revoked")
        let another = try fleet.record(of: der, device: .random())
        #expect(
            appraise(json, verifier, facts: Facts(device: fleet.device(), certificate: another, submissions: 0)).outcome
                == "device_mismatch")
        let asked = list.count
        #expect(appraise(json, verifier).outcome == "accepted" && list.count == asked + 1)
    }

    @Test("A certificate is remembered only if it led to an anchor and its key signed the bundle, and never in an examination")
    func remembered() throws {
        let verifier = try fleet.verifier()
        let der = try fleet.certificate()
        let other = TestSigningKey(.p256, seed: "fleet", label: "other")
        let alike = try CameraAuthority(seed: "other", from: Fleet.now)
        let foreign = try alike.certificate(
            for: TestKey(fleet.camera.key), serial: "CAM-1", number: [1], secret: fleet.sealed, at: Fleet.now
        ).signed(by: alike.issuingKey)
        let tampered = try fleet.bundle(.genuine.signer(other), certificate: der)
        for json in [tampered, try fleet.bundle(certificate: foreign)] {
            for report in [VerdictReport.first, .all] {
                #expect(appraise(json, verifier, report: report).failure != nil && verifier.known.count == 0)
            }
        }
        let json = try fleet.bundle(certificate: der)
        #expect(appraise(json, verifier, examination: Examination()).failure == nil && verifier.known.count == 0)
        // What the registry says comes later, and is not remembered.
        #expect(appraise(json, verifier, facts: Facts(submissions: 0)).outcome == "unknown_device")
        #expect(verifier.known.count == 1)
    }

    @Test("A full cache is emptied, and its certificates are read again")
    func full() throws {
        let known = CertificateCache(capacity: 2)
        let anchors = try fleet.anchors
        let verifier = CertificateBundleVerifier(
            policy: fleet.policy, authorities: DeviceAuthorities(foreign: anchors), app: fleet.app, fleet: fleet.secrets,
            judges: fleet.judges, known: known)
        let bundles = try (0..<3).map { _ in try fleet.bundle(certificate: try fleet.certificate()) }
        var counts: [Int] = []
        for json in bundles + bundles {
            #expect(appraise(json, verifier).outcome == "accepted")
            counts.append(known.count)
        }
        #expect(counts == [1, 2, 1, 2, 1, 2])
    }
}

/// A list without entries that counts how often it is asked.
private final class CountedList: RevocationSource {
    private let asked = Mutex(0)

    var count: Int { asked.withLock { $0 } }

    func knowledge(at now: Timestamp) -> RevocationKnowledge {
        asked.withLock { $0 += 1 }
        return .snapshot(RevocationSnapshot(feed: FeedVersion(name: "crl", id: "0", asOf: now), entries: [:]))
    }
}
