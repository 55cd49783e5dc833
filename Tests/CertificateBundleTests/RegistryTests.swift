import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import CertificateBundle

/// What the registry says about a bundle's certificate and device.
@Suite("Certificate bundles and the registry")
struct BundleRegistryTests {
    private var fleet: Fleet

    init() throws { fleet = try Fleet() }

    @Test("A bundle states what has to be fetched: certificate, device, revocation, submissions, statement")
    func needs() throws {
        let json = try fleet.bundle()
        let needs = try fleet.verifier().locate(CertificateBundle.json(json).evidence)
        #expect(needs.deviceKeyID == fleet.secrets.keyID(ofSecret: Fleet.secret, app: fleet.app))
        let issuer = try fleet.anchors[0].publicKeySHA256
        #expect(needs.certificate == .name(CertificateName(issuer: issuer, serial: Fleet.serialNumber)))
        #expect(needs.submissions && needs.revocation && needs.attestationKey == nil && !needs.outsideAnswer)
        let until = Fleet.now.adding(milliseconds: 30 * 86_400_000 + 300_000)
        #expect(needs.statement?.lifetime == .until(until))
        #expect(needs.statement?.acceptableUntil(from: .distantPast) == until)
    }

    @Test("A statement is the same in each form and encoding, and another one for another image, time or certificate")
    func statement() throws {
        let verifier = try fleet.verifier()
        func statement(_ bundle: CertificateBundle) throws -> [UInt8]? {
            try verifier.locate(bundle.evidence).statement?.digest
        }
        let certificate = try fleet.certificate()
        let json = try fleet.bundle(certificate: certificate)
        let digest = try statement(.json(json))
        #expect(try statement(.fields(try fleet.fields(json))) == digest)
        #expect(try statement(.digest(try fleet.digest(json))) == digest)
        let split = try verifier.locate(CertificateBundle.digest(try fleet.digest(json)).evidence)
        #expect(split.statement?.lifetime == .afterAcceptance(milliseconds: 30 * 86_400_000 + 300_000))
        #expect(split.statement?.acceptableUntil(from: Fleet.now) == Fleet.now.adding(milliseconds: 30 * 86_400_000 + 300_000))
        // A second signature over the same, in the other case of the hexadecimal digits.
        let again = try fleet.bundle(
            .genuine.members { $0.imageHash = $0.imageHash.uppercased() }.signature {
                $0 = SignatureDraft(r: Array($0.prefix(32)), s: Array($0.suffix(32))).mirrored.der
            }, certificate: certificate)
        #expect(try statement(.json(again)) == digest)
        #expect(try fleet.judge(json: again).outcome == "accepted")
        #expect(
            try statement(.json(try fleet.bundle(certificate: certificate, at: Fleet.now.adding(milliseconds: 1000)))) != digest
        )
        #expect(try statement(.json(try fleet.bundle(certificate: try fleet.certificate()))) != digest)
    }

    @Test("A secret that is missing, cut, or sealed under another key is refused", arguments: 0..<6)
    func secret(_ index: Int) throws {
        let arc = ExtensionArc.fleet
        let changes: [(inout CertificateBuilder) -> Void] = [
            { $0["\(arc).3"] = nil }, { $0["\(arc).3"]?.value.removeLast() }, { $0["\(arc).3"]?.value[40] ^= 1 },
            { $0["\(arc).4"]?.value = [0, 8] }, { $0["\(arc).5"]?.value = [0, 43] }, { $0["\(arc).5"]?.value = [42] },
        ]
        let json = try fleet.bundle(certificate: try fleet.certificate(changes[index]))
        #expect(try fleet.judge(json: json).outcome == "secret_undecryptable")
    }

    @Test("The device of the secret must be registered in this app, and be the one that the certificate names")
    func device() throws {
        let json = try fleet.bundle()
        #expect(try fleet.judge(json: json, facts: Facts(submissions: 0)).outcome == "unknown_device")
        let other = fleet.device(serial: "CAM-2")
        #expect(try fleet.judge(json: json, facts: Facts(device: other, submissions: 0)).outcome == "serial_mismatch")
        let foreign = fleet.device(app: AppID("other"))
        #expect(try fleet.judge(json: json, facts: Facts(device: foreign, submissions: 0)).outcome == "unknown_device")
        let unjudged = fleet.device(format: .keyAttestation)
        #expect(try fleet.judge(json: json, facts: Facts(device: unjudged, submissions: 0)).outcome == "unknown_device")
        let named = try fleet.certificate {
            $0.subject = CertificateBuilder.Name([.init("2.5.4.3", "CAM-1"), .init("2.5.4.5", "CAM-2")])
        }
        #expect(try fleet.judge(json: try fleet.bundle(certificate: named)).outcome == "serial_mismatch")
    }

    @Test("A certificate of Assay's own CA must be on record, for this app, this key and this device")
    mutating func own() throws {
        fleet.isOwn = true
        let der = try fleet.certificate()
        let json = try fleet.bundle(certificate: der)
        func outcome(_ record: DeviceCertificate?) throws -> String {
            try fleet.judge(json: json, facts: Facts(device: fleet.device(), certificate: record, submissions: 0)).outcome
        }
        #expect(try outcome(nil) == "unknown_certificate")
        #expect(try outcome(try fleet.record(of: der)) == "accepted")
        #expect(try outcome(try fleet.record(of: der, device: .random())) == "device_mismatch")
        #expect(try outcome(try fleet.record(of: der, app: AppID("other"))) == "unknown_certificate")
        // Another certificate under the same serial number.
        #expect(try outcome(try fleet.record(of: try fleet.certificate())) == "unknown_certificate")
        #expect(try outcome(try fleet.record(of: der, revoked: .keyCompromise)) == "revoked")
        let accepted = try fleet.judge(
            json: json, facts: Facts(device: fleet.device(), certificate: try fleet.record(of: der), submissions: 0))
        #expect(accepted.restsOn == (try fleet.record(of: der).name) && accepted.assurance == .hardware)
        #expect(accepted.claims.text("key_protection") == "provisioned")
    }

    @Test("A certificate on record needs no secret, unless the app requires one; all others need one")
    mutating func secretRule() throws {
        let der = try fleet.certificate { $0["\(ExtensionArc.fleet).3"] = nil }
        let json = try fleet.bundle(certificate: der)
        let facts = Facts(device: fleet.device(), certificate: try fleet.record(of: der), submissions: 0)
        fleet.isOwn = true
        #expect(try fleet.judge(json: json, facts: facts).outcome == "accepted")
        fleet.policy.secret = .required
        #expect(try fleet.judge(json: json, facts: facts).outcome == "secret_undecryptable")
        fleet.policy.secret = .ifPresent
        fleet.isOwn = false
        #expect(try fleet.judge(json: json).outcome == "secret_undecryptable")
    }

    @Test("In an app without a fleet a certificate on record is judged without its secret, and no other is accepted")
    mutating func withoutFleet() throws {
        let der = try fleet.certificate()
        let json = try fleet.bundle(certificate: der)
        let record = try fleet.record(of: der)
        func judge(_ record: DeviceCertificate?, _ device: Device?) throws -> Appraisal {
            try fleet.judge(json: json, facts: Facts(device: device, certificate: record, submissions: 0))
        }
        (fleet.isOwn, fleet.hasSecrets) = (true, false)
        // The device is the one that the record names.
        #expect(try fleet.verifier().locate(CertificateBundle.json(json).evidence).deviceKeyID == nil)
        let accepted = try judge(record, fleet.device())
        #expect(accepted.outcome == "accepted" && accepted.note("secret_not_checked"))
        #expect(accepted.findings.contains { $0.check == "secret" && $0.outcome == .skipped })
        #expect(try judge(nil, fleet.device()).outcome == "unknown_certificate")
        #expect(try judge(record, nil).outcome == "unknown_device")
        #expect(try judge(record, fleet.device(app: AppID("other"))).outcome == "unknown_device")
        #expect(try judge(try fleet.record(of: der, device: .random()), fleet.device()).outcome == "device_mismatch")
        #expect(try judge(try fleet.record(of: der, revoked: .superseded), fleet.device()).outcome == "revoked")
        fleet.policy.secret = .required
        #expect(try judge(record, fleet.device()).outcome == "secret_undecryptable")
        fleet.policy.secret = .ifPresent
        // A CA of others, whose certificates are not on record.
        fleet.isOwn = false
        #expect(try judge(nil, fleet.device()).outcome == "secret_undecryptable")
    }

    @Test("In an app with a fleet the secret of a certificate on record is checked")
    mutating func withFleet() throws {
        fleet.isOwn = true
        for (change, code) in [
            ({ _ in }, "accepted"), ({ $0["\(ExtensionArc.fleet).3"]?.value[40] ^= 1 }, "secret_undecryptable"),
        ] as [((inout CertificateBuilder) -> Void, String)] {
            let der = try fleet.certificate(change)
            let facts = Facts(device: fleet.device(), certificate: try fleet.record(of: der), submissions: 0)
            let appraisal = try fleet.judge(json: try fleet.bundle(certificate: der), facts: facts)
            #expect(appraisal.outcome == code && !appraisal.note("secret_not_checked"))
        }
    }

    @Test("The assurance is never above that of the certificate, nor above what the device is worth today")
    mutating func assurance() throws {
        struct Judge: RegisteredDeviceAppraiser {
            let format: EvidenceFormat = .keyAttestation
            let level: Result<Assurance, Rejection>
            func judge(_ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal) throws(Rejection) {
                appraisal.assurance = try appraisal.check("today") { () throws(Rejection) in try level.get() }
            }
        }
        let der = try fleet.certificate()
        let json = try fleet.bundle(certificate: der)
        for (today, certified, worth) in [
            (.secureElement, .hardware, .hardware), (.software, .hardware, .software),
        ] as [(Assurance, Assurance, Assurance)] {
            fleet.judges = [Judge(level: .success(today))]
            let record = try fleet.record(of: der, assurance: certified)
            let facts = Facts(device: fleet.device(format: .keyAttestation), certificate: record, submissions: 0)
            let appraisal = try fleet.judge(json: json, facts: facts)
            #expect(appraisal.outcome == "accepted" && appraisal.assurance == worth)
        }
        fleet.judges = [Judge(level: .failure(Rejection(.bootloaderUnlocked, "")))]
        let facts = Facts(device: fleet.device(format: .keyAttestation), certificate: try fleet.record(of: der), submissions: 0)
        #expect(try fleet.judge(json: json, facts: facts).outcome == "bootloader_unlocked")
        fleet.judges = [FleetDeviceAppraiser()]
        fleet.policy.foreignAssurance = .hardware
        #expect(try fleet.judge(json: json).assurance == .hardware)
    }

    @Test("A bundle is simulated if its device, its certificate or its CA is")
    func simulated() throws {
        let der = try fleet.certificate()
        let json = try fleet.bundle(certificate: der)
        #expect(try fleet.judge(json: json, facts: Facts(device: fleet.device(simulated: true), submissions: 0)).simulated)
        let record = try fleet.record(of: der, simulated: true)
        #expect(
            try fleet.judge(json: json, facts: Facts(device: fleet.device(), certificate: record, submissions: 0)).simulated)
        let anchor = try TrustAnchor(name: "test", pem: fleet.authority.issuingPEM, simulated: true)
        #expect(try fleet.judge(.json(json), anchors: [anchor]).simulated)
    }

    @Test("8,000 submissions in 24 hours are noted; the commit refuses the one after 10,000")
    func submissions() throws {
        let json = try fleet.bundle()
        for (count, code, isNoted) in [
            (7_999, "accepted", false), (8_000, "accepted", true), (9_999, "accepted", true),
            (10_000, "accepted", true),
        ] as [(Int64, String, Bool)] {
            let appraisal = try fleet.judge(json: json, facts: Facts(device: fleet.device(), submissions: count))
            #expect(appraisal.outcome == code && appraisal.note("many_submissions") == isNoted)
        }
    }

    // MARK: Revocation lists

    /// A list that answers what it is told to.
    private struct FixedList: RevocationSource {
        let known: RevocationKnowledge
        func knowledge(at now: Timestamp) -> RevocationKnowledge { known }
    }

    @Test("A certificate on the list of its issuer is refused, and a list that is too old leaves no verdict")
    mutating func list() throws {
        let json = try fleet.bundle()
        let issuer = try fleet.anchors[0].publicKeySHA256
        func list(_ entries: [RevocationListBuilder.Entry]) throws -> RevocationKnowledge {
            let der = try RevocationListBuilder(of: fleet.authority, at: Fleet.now, entries: entries)
                .signed(by: fleet.authority.issuingKey)
            return .snapshot(try CertificateRevocationList(file: der).snapshot(named: "crl"))
        }
        #expect(try fleet.judge(json: json).note("revocation_not_consulted"))
        for (serial, reason, code) in [
            (Fleet.serialNumber, 1, "revoked"), (Fleet.serialNumber, 6, "revoked"), ([9], 1, "accepted"),
        ] as [([UInt8], UInt64, String)] {
            let known = try list([.init(serial, at: Fleet.now, reason: reason)])
            fleet.lists = [IssuerRevocationList(issuer: issuer, source: FixedList(known: known))]
            let appraisal = try fleet.judge(json: json)
            #expect(appraisal.outcome == code && appraisal.feeds.map(\.name) == ["crl"])
            // The list of another CA says nothing about the certificate.
            fleet.lists = [IssuerRevocationList(issuer: [1], source: FixedList(known: known))]
            #expect(try fleet.judge(json: json).outcome == "accepted")
        }
        fleet.lists = [IssuerRevocationList(issuer: issuer, source: FixedList(known: .unavailable("too old")))]
        let undecided = try fleet.judge(json: json)
        #expect(undecided.findings.contains { $0.check == "revocation" && $0.outcome == .unavailable })
        guard case .unavailable = Decision([undecided]) else {
            Issue.record("a verdict without a list")
            return
        }
    }
}
