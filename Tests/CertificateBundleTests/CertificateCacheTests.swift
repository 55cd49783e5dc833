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

    @Test("The cache is bounded by the bytes of certificates, and keeps those that are used")
    func bounded() throws {
        let known = CertificateCache(bytes: 40_000)
        let anchors = try fleet.anchors
        let verifier = CertificateBundleVerifier(
            policy: fleet.policy, authorities: DeviceAuthorities(foreign: anchors), app: fleet.app, fleet: fleet.secrets,
            judges: fleet.judges, known: known)
        func key(_ json: [UInt8]) throws -> CertificateCache.Key {
            let evidence = try verifier.bounded(CertificateBundle.json(json).evidence)
            return CertificateCache.Key(try BundleContent(evidence).certificate)
        }
        let favourite = try fleet.bundle(certificate: try fleet.certificate())
        let others = try (0..<40).map { _ in try fleet.bundle(certificate: try fleet.certificate()) }
        #expect(appraise(favourite, verifier).outcome == "accepted")
        for json in others {
            #expect(appraise(json, verifier).outcome == "accepted" && appraise(favourite, verifier).outcome == "accepted")
            #expect(try known.certificates(for: key(favourite)) != nil && known.certificates(for: key(json)) != nil)
            #expect(known.count >= 2 && known.count <= 12)
        }
        // With two certificates in each entry it has fewer of them.
        let longer = CertificateCache(bytes: 40_000)
        let below = CertificateBundleVerifier(
            policy: fleet.policy, authorities: DeviceAuthorities(foreign: [try root]), app: fleet.app, fleet: fleet.secrets,
            judges: fleet.judges, known: longer)
        for _ in 0..<20 {
            #expect(appraise(try fleet.bundle(pem(try fleet.certificate())), below).outcome == "accepted")
            #expect(longer.count >= 1 && longer.count <= 6)
        }
    }

    private var root: TrustAnchor {
        get throws { try TrustAnchor(name: "root", pem: fleet.authority.rootPEM, simulated: false) }
    }

    /// What was located is appraised as the pipeline does; `isRead`: with what was read then.
    private func appraiseLocated(
        _ json: [UInt8], _ verifier: CertificateBundleVerifier, by other: CertificateBundleVerifier? = nil,
        report: VerdictReport = .first, isRead: Bool = true
    ) throws -> Appraisal {
        let evidence = try verifier.bounded(CertificateBundle.json(json).evidence)
        let needs = try verifier.locate(evidence)
        #expect(needs.reading.value != nil)
        return (other ?? verifier).appraise(
            evidence,
            in: AppraisalContext(
                binding: .inEvidence, facts: Facts(device: fleet.device(), submissions: 0), now: Fleet.now, report: report,
                reading: isRead ? needs.reading.value : nil))
    }

    @Test("A bundle that was read when it was located is appraised as one that was not", arguments: [false, true])
    func located(isPEM: Bool) throws {
        let verifier = try fleet.verifier()
        let other = TestSigningKey(.p256, seed: "fleet", label: "other")
        let der = try fleet.certificate()
        let changes = isPEM ? pem(der) : .genuine
        for round in 0..<2 {
            for report in [VerdictReport.first, .all] {
                for (json, outcome) in [
                    (try fleet.bundle(changes, certificate: der), "accepted"),
                    (try fleet.bundle(changes.signer(other), certificate: der), "bad_signature"),
                    (
                        try fleet.bundle(changes, certificate: der, at: Fleet.now.adding(milliseconds: 86_400_000)),
                        "timestamp_in_future"
                    ),
                ] {
                    let seen = try appraiseLocated(json, verifier, report: report)
                    let unseen = try appraiseLocated(json, fleet.verifier(), report: report, isRead: false)
                    #expect(seen.outcome == outcome)
                    #expect(seen.findings == unseen.findings)
                    #expect(seen.claims == unseen.claims)
                    #expect(seen.imageDigest == unseen.imageDigest && seen.assurance == unseen.assurance)
                }
            }
            #expect(verifier.known.count == 1, "round \(round)")
        }
    }

    @Test("A certificate that one app trusts is judged by another app's own anchors, policy and fleet")
    mutating func apps() throws {
        let json = try fleet.bundle(certificate: try fleet.certificate())
        let trusting = try fleet.verifier()
        for _ in 0..<2 { #expect(try appraiseLocated(json, trusting).outcome == "accepted") }
        // After a reload that exchanged the CA, or in an app with other CAs.
        let alike = try CameraAuthority(seed: "other", from: Fleet.now)
        let anchor = try TrustAnchor(name: "other", pem: alike.issuingPEM, simulated: false)
        let distrusting = CertificateBundleVerifier(
            policy: fleet.policy, authorities: DeviceAuthorities(foreign: [anchor]), app: fleet.app, fleet: fleet.secrets,
            judges: fleet.judges)
        #expect(appraise(json, distrusting).outcome == "untrusted_root")
        #expect(try appraiseLocated(json, trusting, by: distrusting).outcome == "untrusted_root", "another verifier's reading")
        #expect(distrusting.known.count == 0)
        fleet.policy.maxAge = 1000
        let strict = try fleet.verifier()
        let late = try fleet.bundle(certificate: try fleet.certificate(), at: Fleet.now.adding(milliseconds: -30_000))
        #expect(try appraiseLocated(late, trusting).outcome == "accepted")
        #expect(try appraiseLocated(late, trusting, by: strict).outcome == "timestamp_too_old")
        #expect(try appraiseLocated(late, strict).outcome == "timestamp_too_old")
    }

    @Test("The same leaf with another certificate beside it is read by itself, and its chain is judged")
    func otherAuthority() throws {
        let verifier = try fleet.verifier()
        let der = try fleet.certificate()
        #expect(appraise(try fleet.bundle(pem(der), certificate: der), verifier).outcome == "accepted")
        let alike = try CameraAuthority(seed: "other", from: Fleet.now)
        let file = PEM.encode(der) + alike.issuingPEM
        let changes = CameraBundleChanges.genuine.members { $0.certificate = Base64.standard.encode(Array(file.utf8)) }
        let json = try fleet.bundle(changes, certificate: der)
        let seen = appraise(json, verifier)
        #expect(seen.findings == appraise(json, try fleet.verifier()).findings)
        // Below the root the other CA is a link of the chain, and did not sign the leaf.
        let below = try fleet.verifier(anchors: [root])
        #expect(appraise(try fleet.bundle(pem(der), certificate: der), below).outcome == "accepted" && below.known.count == 1)
        let wrong = appraise(json, below)
        let unseen = appraise(json, try fleet.verifier(anchors: [root]))
        #expect(wrong.failure != nil && wrong.findings == unseen.findings)
        #expect(below.known.count == 1)
        // Text that is not a certificate, behind one that is known.
        let broken = CameraBundleChanges.genuine.members { $0.certificate = Base64.standard.encode(Array(der) + [0]) }
        #expect(appraise(try fleet.bundle(broken, certificate: der), verifier).outcome == "malformed_certificate")
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
