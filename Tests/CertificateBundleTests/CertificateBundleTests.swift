import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import AssayTesting
import Crypto
import Testing

@testable import CertificateBundle

@Suite("Certificate bundles")
struct CertificateBundleTests {
    private let fleet: Fleet

    init() throws { fleet = try Fleet() }

    // MARK: Good bundles

    @Test("A bundle of a registered camera is accepted in each form, with claims and without secrets")
    func accepted() throws {
        let json = try fleet.bundle(locationHash: [UInt8](repeating: 0xCD, count: 32))
        let forms: [CertificateBundle] = [.json(json), .fields(try fleet.fields(json)), .digest(try fleet.digest(json))]
        for form in forms {
            let appraisal = try fleet.judge(form)
            #expect(appraisal.outcome == "accepted")
            #expect(appraisal.assurance == .software && !appraisal.simulated)
            #expect(appraisal.claims.text("device_serial") == "CAM-1")
            #expect(appraisal.claims.text("device_family") == "Virtual One")
            #expect(appraisal.claims.text("certificate_serial") == "51020304")
            #expect(appraisal.claims.integer("table_id") == 7 && appraisal.claims.integer("key_index") == 42)
            #expect(appraisal.submission == LedgerEntry.Submission(device: fleet.deviceID, limit: 10_000))
            #expect(appraisal.restsOn == nil)
            if case .digest = form {
                #expect(appraisal.imageDigest == nil, "the caller keeps it to itself")
                #expect(appraisal.note("timestamp_not_shown") && appraisal.claims["timestamp"] == nil)
            } else {
                #expect(appraisal.imageDigest == Fleet.imageHash)
                #expect(appraisal.claims.integer("timestamp") == 1_772_366_400)
            }
            let said = "\(appraisal.claims) \(appraisal.findings)"
            for secret in [
                Fleet.imageHash, [UInt8](repeating: 0xCD, count: 32), Fleet.secret, try fleet.digest(json).signedSHA256,
            ] {
                #expect(!said.contains(Hex.encode(secret)) && !said.contains("\(secret)"))
            }
        }
    }

    @Test("The signed bytes are the four lines of the specification")
    func goldenSignedBytes() throws {
        let fields = CertificateBundle.Fields(
            imageHash: [UInt8](repeating: 0xAB, count: 32), certificate: Array("TUlJQg==".utf8), timestamp: 1_732_000_000,
            signature: [])
        let evidence = CertificateBundle.fields(fields).evidence
        let content = try BundleContent(try fleet.verifier().bounded(evidence))
        #expect(content.signedLength == 86)
        #expect(
            Hex.encode(content.signedSHA256) == "b10d9180833753473043fe2836ce1a1c0d32b58323019c19afc22340febd91d9")
    }

    @Test("The golden secret opens under the golden key of the golden table")
    func goldenSecret() throws {
        var fleet = fleet
        let key = try #require(fleet.secrets.tables.key(table: 7, index: 42))
        let sealed = try #require(SealedSecret.seal(Fleet.secret, with: key, nonce: (0..<12).map { UInt8($0) }))
        #expect(
            Hex.encode(sealed)
                == "3b443339374ea4cdd44f94c60d699a0d72ba5f853a94151a9dc619346efdcbf6ca16f4c5920b5caf51fd5cc9fce1c90f"
                + "000102030405060708090a0b")
        let certificate = try fleet.certificate { $0["\(ExtensionArc.fleet).3"]?.value = sealed }
        #expect(try fleet.judge(json: try fleet.bundle(certificate: certificate)).outcome == "accepted")
        fleet.policy = CertificateBundlePolicy(arc: try #require(FleetArc("1.3.6.1.4.1.55555.1")))
        #expect(try fleet.judge(json: try fleet.bundle(certificate: certificate)).outcome == "secret_undecryptable")
    }

    @Test(
        "A certificate below the arc that earlier versions used is read where no arc is configured, and a list of arcs names more"
    )
    func earlierArcs() throws {
        var fleet = fleet
        var draft = fleet.sealed
        draft.arc = "1.3.6.1.4.1.60000.1"
        let earlier = draft
        let json = try fleet.bundle(
            certificate: try fleet.authority.certificate(
                for: TestKey(fleet.camera.key), serial: fleet.camera.serial, number: Fleet.serialNumber, secret: earlier,
                at: Fleet.now
            ).signed(by: fleet.authority.issuingKey))
        #expect(try fleet.judge(json: json).outcome == "accepted")
        let own = try #require(FleetArc("1.3.6.1.4.1.32473.1"))
        fleet.policy = CertificateBundlePolicy(arc: own)
        #expect(try fleet.judge(json: json).outcome == "secret_undecryptable")
        fleet.policy = CertificateBundlePolicy(arc: own.or(try #require(FleetArc(draft.arc))))
        #expect(try fleet.judge(json: json).outcome == "accepted")
        #expect(try fleet.judge(json: try fleet.bundle()).outcome == "secret_undecryptable")
    }

    @Test("The certificate may be a PEM file in Base64, with the CAs above it, below another anchor")
    func pem() throws {
        let der = try fleet.certificate()
        let root = try TrustAnchor(name: "root", pem: fleet.authority.rootPEM, simulated: true)
        let texts = [
            PEM.encode(der), PEM.encode(der) + fleet.authority.issuingPEM,
            PEM.encode(der) + fleet.authority.issuingPEM + fleet.authority.rootPEM,
            PEM.encode(der) + fleet.authority.rootPEM + fleet.authority.issuingPEM,
        ]
        for (index, text) in texts.enumerated() {
            let encoded = Base64.standard.encode(Array(text.utf8))
            let json = try fleet.bundle(.genuine.members { $0.certificate = encoded })
            #expect(try fleet.judge(json: json).outcome == "accepted")
            let below = try fleet.judge(.json(json), anchors: [root])
            #expect(below.outcome == (index == 0 ? "untrusted_root" : "accepted"))
            #expect(index == 0 || below.simulated)
        }
        let many = Base64.standard.encode(Array((PEM.encode(der) + String(repeating: fleet.authority.rootPEM, count: 4)).utf8))
        #expect(try fleet.judge(json: try fleet.bundle(.genuine.members { $0.certificate = many })).outcome == "malformed")
    }

    @Test("Of two authorities with one name the one that signed counts")
    func sameName() throws {
        let other = try CameraAuthority(seed: "other", from: Fleet.now)
        let anchors = [try TrustAnchor(name: "other", pem: other.issuingPEM, simulated: false)] + (try fleet.anchors)
        let evidence = CertificateBundle.json(try fleet.bundle()).evidence
        #expect(try fleet.judge(evidence, anchors: anchors).outcome == "accepted")
        let needs = try fleet.verifier(anchors: anchors).locate(evidence)
        #expect(
            needs.certificate
                == .name(CertificateName(issuer: try fleet.anchors[0].publicKeySHA256, serial: Fleet.serialNumber)))
    }

    // MARK: What is refused

    @Test("Bundles of another form are refused before any cryptography", arguments: 0..<14)
    func form(_ index: Int) throws {
        let changes: [(CameraBundleChanges, String)] = [
            (.genuine.json { $0["image_hash"] = nil }, "malformed"),
            (.genuine.json { $0["image_hash"] = .text("ab") }, "malformed"),
            (.genuine.json { $0["image_hash"] = .text(String(repeating: "zz", count: 32)) }, "malformed"),
            (.genuine.json { $0["gps_hash"] = .text("") }, "malformed"),
            (.genuine.json { $0["gps_hash"] = .integer(7) }, "malformed"),
            (.genuine.json { $0["timestamp"] = .text("1772366400") }, "malformed"),
            (.genuine.json { $0["timestamp"] = .literal("1772366400.0") }, "malformed"),
            (.genuine.json { $0["timestamp"] = .literal("17723664000000000000") }, "malformed"),
            (.genuine.json { $0["camera_cert"] = .text("no Base64") }, "malformed"),
            (.genuine.json { $0["camera_cert"] = .text("MDA=") }, "malformed_certificate"),
            (.genuine.json { $0["bundle_signature"] = nil }, "malformed"),
            (.genuine.json { $0["bundle_signature"] = .text("AAA") }, "malformed"),
            (.genuine.json { $0["encrypted_nuc_token"] = .text("AAAA") }, "wrong_format"),
            (.genuine.json { $0 = .object([.init("table_references", .texts([]))]) }, "wrong_format"),
        ]
        let (change, code) = changes[index]
        let json = try fleet.bundle(change)
        #expect(try fleet.judge(json: json).outcome == code)
        #expect(throws: try #require(ReasonCode(rawValue: code).map { Rejection($0, "") })) {
            try fleet.verifier().locate(CertificateBundle.json(json).evidence)
        }
    }

    @Test("Signatures that are neither 64 bytes nor strict DER in range are refused before any cryptography")
    func signatureForm() throws {
        let draft = try fleet.camera.key.sign([1], hash: .sha256)
        let zero = [UInt8](repeating: 0, count: 32)
        let wrong: [[UInt8]] = [
            Fleet.imageHash, [], [UInt8](repeating: 1, count: 65), draft.der + [0], Array(draft.der.dropLast()),
            draft.der(leadingZeros: 1), zero + draft.s, draft.r + zero, [UInt8](repeating: 0xFF, count: 64),
            SignatureDraft(r: zero, s: draft.s).der,
        ]
        for signature in wrong {
            let appraisal = try fleet.judge(json: try fleet.bundle(.genuine.signature { $0 = signature }))
            #expect(appraisal.outcome == "signature_malformed")
            #expect(!appraisal.findings.contains { $0.check == "chain_signatures" })
        }
        let der = try fleet.judge(
            json: try fleet.bundle(
                .genuine.signature { $0 = SignatureDraft(r: Array($0.prefix(32)), s: Array($0.suffix(32))).der }))
        #expect(der.outcome == "accepted" && der.claims.text("signature_form") == "der")
    }

    @Test("Hashes and digests of other lengths are refused in the forms without JSON")
    func lengths() throws {
        let json = try fleet.bundle()
        var fields = try fleet.fields(json)
        fields.imageHash.removeLast()
        #expect(try fleet.judge(.fields(fields)).outcome == "malformed")
        fields = try fleet.fields(json)
        fields.locationHash = [1]
        #expect(try fleet.judge(.fields(fields)).outcome == "malformed")
        var digest = try fleet.digest(json)
        digest.signedSHA256.append(0)
        #expect(try fleet.judge(.digest(digest)).outcome == "malformed")
        for parts in [[], [[1]], [[4], []], [[1, 1], []], [[2], [], [], [], [], []]] as [[[UInt8]]] {
            let evidence = Evidence(format: .certificateBundle, keyID: [], parts: parts.map { $0[...] })
            #expect(try fleet.judge(evidence).outcome == "malformed")
        }
        let huge = [UInt8](repeating: 0x20, count: CertificateBundle.jsonLimit + 1)
        #expect(try fleet.judge(.json(huge)).outcome == "evidence_too_large")
    }

    @Test("The certificate's own statements are judged, each with its code", arguments: 0..<8)
    func certificate(_ index: Int) throws {
        let p384 = try TestKey(.p384, seed: "fleet", label: "wide")
        let day: Int64 = 86_400_000
        let changes: [((inout CertificateBuilder) -> Void, String)] = [
            ({ $0[ExtensionName.basicConstraints] = .basicConstraints(ca: true) }, "ca_as_leaf"),
            ({ $0[ExtensionName.keyUsage] = .keyUsage(.keyEncipherment) }, "key_usage"),
            ({ $0[ExtensionName.keyUsage] = nil }, "key_usage"),
            ({ $0.subjectPublicKeyInfo = p384.subjectPublicKeyInfo }, "wrong_curve"),
            ({ $0.notAfter = Fleet.now.adding(milliseconds: -day) }, "expired"),
            ({ $0.notBefore = Fleet.now.adding(milliseconds: day) }, "not_yet_valid"),
            ({ $0.extensions.append(.init("1.2.3.4", critical: true, [5, 0])) }, "malformed_certificate"),
            ({ $0.issuer = CertificateBuilder.Name(commonName: "another") }, "untrusted_root"),
        ]
        let (change, code) = changes[index]
        #expect(try fleet.judge(json: try fleet.bundle(certificate: try fleet.certificate(change))).outcome == code)
    }

    @Test("A bundle of a time before its certificate is refused, unless clocks explain the difference")
    func beforeCertificate() throws {
        var fleet = fleet
        let hour: Int64 = 3_600_000
        let certificate = try fleet.certificate { $0.notBefore = Fleet.now.adding(milliseconds: -hour) }
        func outcome(_ milliseconds: Int64) throws -> String {
            let time = Fleet.now.adding(milliseconds: milliseconds - hour)
            return try fleet.judge(json: try fleet.bundle(certificate: certificate, at: time)).outcome
        }
        #expect(try outcome(0) == "accepted" && outcome(-60_000) == "accepted")
        #expect(try outcome(-61_000) == "not_yet_valid" && outcome(-10 * hour) == "not_yet_valid")
        fleet.policy.maxFuture = 0
        #expect(try outcome(0) == "accepted" && outcome(-1000) == "not_yet_valid")
    }

    @Test("A certificate of a look-alike CA, of a device, or of itself is refused")
    func issuers() throws {
        let other = try CameraAuthority(seed: "other", from: Fleet.now)
        var builder = other.certificate(
            for: TestKey(fleet.camera.key), serial: "CAM-1", number: [1], secret: fleet.sealed, at: Fleet.now)
        let alike = try builder.signed(by: other.issuingKey)
        #expect(try fleet.judge(json: try fleet.bundle(certificate: alike)).outcome == "untrusted_root")

        let device = try fleet.certificate()
        let subject = CertificateBuilder.Name([
            .init("2.5.4.10", "Virtual Cameras"), .init("2.5.4.3", "CAM-1"), .init("2.5.4.5", "CAM-1"),
        ])
        builder.issuer = subject
        let forged = try builder.signed(by: fleet.camera.key)
        let text = Base64.standard.encode(Array((PEM.encode(forged) + PEM.encode(device)).utf8))
        let json = try fleet.bundle(.genuine.members { $0.certificate = text })
        #expect(try fleet.judge(json: json).outcome == "bad_chain")
        #expect(try fleet.judge(json: try fleet.bundle(certificate: forged)).outcome == "untrusted_root")
    }

    @Test("An authority that the configuration names is trusted for as long as its certificate says")
    func authorityValidity() throws {
        let later = Fleet.now.adding(milliseconds: 3_400 * 86_400_000)
        let certificate = try fleet.certificate { $0.notAfter = later.adding(milliseconds: 86_400_000) }
        let json = try fleet.bundle(certificate: certificate, at: later)
        #expect(try fleet.judge(json: json, now: later).outcome == "expired")
    }

    @Test("A signature over anything else is refused")
    func signature() throws {
        let other = TestSigningKey(.p256, seed: "fleet", label: "other")
        let changes: [CameraBundleChanges] = [
            .genuine.signer(other), .genuine.signedBytes { $0.removeLast() }, .genuine.signedBytes { $0 = [UInt8]("MII".utf8) },
            .genuine.signature { $0[40] ^= 1 }, .genuine.json { $0["timestamp"] = .integer(1_772_366_401) },
            .genuine.json { $0["gps_hash"] = .text(String(repeating: "ab", count: 32)) },
            .genuine.json { $0["image_hash"] = .text(String(repeating: "ac", count: 32)) },
        ]
        for change in changes {
            let appraisal = try fleet.judge(json: try fleet.bundle(change))
            #expect(appraisal.outcome == "bad_signature" && appraisal.claims.all.isEmpty)
        }
        var digest = try fleet.digest(try fleet.bundle())
        digest.signedSHA256[0] ^= 1
        #expect(try fleet.judge(.digest(digest)).outcome == "bad_signature")
    }

    @Test("A bundle is good from 60 s ahead to 30 days old, both ends included")
    func time() throws {
        let month: Int64 = 30 * 86_400_000
        let certificate = try fleet.certificate { $0.notBefore = Fleet.now.adding(milliseconds: -2 * month) }
        for (offset, code) in [
            (60_000, "accepted"), (61_000, "timestamp_in_future"), (-month, "accepted"), (-month - 1000, "timestamp_too_old"),
        ] as [(Int64, String)] {
            let json = try fleet.bundle(certificate: certificate, at: Fleet.now.adding(milliseconds: offset))
            #expect(try fleet.judge(json: json).outcome == code)
        }
        for seconds in [Int64.max, .min, -1] {
            let json = try fleet.bundle(.genuine.members { $0.timestamp = seconds })
            #expect(try fleet.judge(json: json).outcome == (seconds > 0 ? "timestamp_in_future" : "timestamp_too_old"))
        }
    }

    @Test("The digest alone is refused if the app wants to see what was signed")
    func split() throws {
        var fleet = fleet
        fleet.policy.allowsSplit = false
        let json = try fleet.bundle()
        #expect(try fleet.judge(.digest(try fleet.digest(json))).outcome == "split_not_allowed")
        #expect(try fleet.judge(json: json).outcome == "accepted")
    }

    @Test("10,000 random changes of a good bundle: none is accepted")
    func mutations() throws {
        let json = try fleet.bundle(locationHash: [UInt8](repeating: 0xCD, count: 32))
        let good = try fleet.fields(json)
        #expect(try fleet.judge(json: json).outcome == "accepted")
        let verifier = try fleet.verifier()
        let context = AppraisalContext(
            binding: .inEvidence, facts: Facts(device: fleet.device(), submissions: 0), now: Fleet.now)
        var random = SeededNumbers(seed: 12)
        var changed = 0
        while changed < 10_000 {
            var bytes = json
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.remove(at: Int.random(in: bytes.indices, using: &random))
            case 2: bytes.insert(.random(in: 0...255), at: Int.random(in: bytes.indices, using: &random))
            default: bytes.swapAt(Int.random(in: bytes.indices, using: &random), Int.random(in: bytes.indices, using: &random))
            }
            // Space between members, and the case of hexadecimal digits, say nothing.
            guard bytes != json, (try? fleet.fields(bytes)) != good else { continue }
            changed += 1
            let appraisal = verifier.appraise(CertificateBundle.json(bytes).evidence, in: context)
            #expect(appraisal.failure != nil, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}
