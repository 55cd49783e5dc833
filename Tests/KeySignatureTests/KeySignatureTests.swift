import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySchemes
import AssaySimulator
import Crypto
import KeySignature
import Testing

/// Judges every device with a preset result.
struct StubRunner: RegisteredDeviceAppraiser {
    let format: EvidenceFormat = .keyAttestation
    var signsMessages = true
    var verdict: Result<Assurance, Rejection> = .success(.hardware)

    func judge(_ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal) throws(Rejection) {
        appraisal.assurance = try appraisal.check("today") { () throws(Rejection) in try verdict.get() }
        appraisal.claims.add("level", .text("\(appraisal.assurance)"))
    }
}

/// A registered key and its signatures.
struct Signer {
    let key: TestKey
    let device: Device
    static let clientData: [UInt8] = Array("assay1".utf8) + (0..<87).map { UInt8($0) }

    init(_ kind: TestKey.Kind = .p256, format: EvidenceFormat = .keyAttestation, publicKey: [UInt8]? = nil) throws {
        key = try TestKey(kind, seed: "key signatures", label: "signer")
        device = Device(
            id: .random(), app: try #require(AppID("camera")), subject: nil,
            registration: Registration(
                format: format, keyID: key.subjectPublicKeyInfoDigest, publicKey: publicKey ?? key.subjectPublicKeyInfo,
                environment: "", anchor: [], claims: Claims(), chainSerials: [], receipt: [], simulated: true),
            registeredAt: Timestamp(unixSeconds: 1))
    }

    var keyID: [UInt8] { device.registration.keyID }

    func evidence(
        _ scheme: KeySignatureAlgorithm? = nil, algorithm: UInt8? = nil, over message: [UInt8] = clientData
    ) throws -> Evidence {
        let scheme = scheme ?? key.usualScheme
        return evidence(algorithm: algorithm ?? scheme.rawValue, signature: try key.sign(message, by: scheme))
    }

    func evidence(algorithm: UInt8, signature: [UInt8]) -> Evidence {
        Evidence(format: .keySignature, keyID: keyID, body: Evidence.join([[algorithm], signature]))
    }

    func judge(_ evidence: Evidence, by judge: StubRunner = StubRunner(), device: Device?? = nil) -> Appraisal {
        KeySignatureVerifier(judges: [judge]).appraise(
            evidence,
            in: AppraisalContext(
                binding: Binding(embedded: Self.clientData), facts: Facts(device: device ?? self.device),
                now: Timestamp(unixSeconds: 2)))
    }
}

extension Appraisal {
    var outcome: String { failure?.code ?? "accepted" }
}

@Suite("Key signatures")
struct KeySignatureTests {
    private static let schemes: [(TestKey.Kind, KeySignatureAlgorithm)] = [
        (.p256, .ecdsaP256SHA256), (.p384, .ecdsaP384SHA384), (.p384, .ecdsaP384SHA256), (.rsa2048, .rsaPSSSHA256),
        (.rsa2048, .rsaPKCS1SHA256), (.ed25519, .ed25519), (.mlDSA65, .mlDSA65), (.mlDSA87, .mlDSA87),
    ]

    @Test("Signatures of every algorithm are accepted, and refused over anything else", arguments: 0..<schemes.count)
    func algorithms(_ index: Int) throws {
        let (kind, scheme) = Self.schemes[index]
        let signer = try Signer(kind)
        let appraisal = signer.judge(try signer.evidence(scheme))
        #expect(appraisal.outcome == "accepted")
        #expect(appraisal.assurance == .hardware)
        #expect(appraisal.simulated)
        #expect(appraisal.certifiableKey == signer.keyID)
        #expect(appraisal.claims["key_id"] == .bytes(signer.keyID))
        #expect(appraisal.claims.text("algorithm") != nil)
        #expect(signer.judge(try signer.evidence(scheme, over: Signer.clientData + [0])).outcome == "bad_signature")
        #expect(signer.judge(try signer.evidence(scheme, over: Signer.clientData.dropLast())).outcome == "bad_signature")
    }

    @Test("The algorithm must be one of the registered key's kind", arguments: TestKey.Kind.allCases)
    func wrongAlgorithms(_ kind: TestKey.Kind) throws {
        guard ![.rsa1024, .rsa3072, .rsa4096].contains(kind) else { return }
        let signer = try Signer(kind)
        let fitting = Set(Self.schemes.filter { $0.0 == kind }.map(\.1.rawValue))
        for algorithm in UInt8(0)...10 where !fitting.contains(algorithm) {
            #expect(signer.judge(try signer.evidence(algorithm: algorithm)).outcome == "unsupported_algorithm")
        }
    }

    @Test("A signature by one algorithm is not accepted as one by another of the same key")
    func confusedAlgorithms() throws {
        let rsa = try Signer(.rsa2048)
        #expect(rsa.judge(try rsa.evidence(.rsaPSSSHA256, algorithm: 4)).outcome == "bad_signature")
        #expect(rsa.judge(try rsa.evidence(.rsaPKCS1SHA256, algorithm: 3)).outcome == "bad_signature")
        let curve = try Signer(.p384)
        #expect(curve.judge(try curve.evidence(.ecdsaP384SHA384, algorithm: 8)).outcome == "bad_signature")
        #expect(curve.judge(try curve.evidence(.ecdsaP384SHA256, algorithm: 2)).outcome == "bad_signature")
    }

    @Test("ECDSA signatures must be strict DER")
    func form() throws {
        let signer = try Signer()
        let signing = TestSigningKey(.p256, seed: "key signatures", label: "signer")
        let draft = try signing.sign(Signer.clientData, hash: .sha256)
        #expect(signer.judge(signer.evidence(algorithm: 1, signature: draft.der)).outcome == "accepted")
        for wrong in [
            draft.raw, draft.der + [0], Array(draft.der.dropLast()), draft.der(leadingZeros: 1), [], [0x30, 0],
            SignatureDraft(r: [UInt8](repeating: 0, count: 32), s: draft.s).der,
            SignatureDraft(r: [UInt8](repeating: 0xFF, count: 32), s: draft.s).der,
        ] as [[UInt8]] {
            #expect(signer.judge(signer.evidence(algorithm: 1, signature: wrong)).outcome == "bad_signature")
        }
    }

    @Test("Only appraisers of keys that sign messages make a verifier, which neither registers nor renews")
    func scheme() {
        #expect(
            KeySignatureScheme.verifiers(SchemeDependencies(testRoots: []), with: [StubRunner(signsMessages: false)]).isEmpty)
        #expect(
            KeySignatureScheme.verifiers(SchemeDependencies(testRoots: []), with: [StubRunner()]).map(\.purposes) == [
                [.assert, .provision]
            ])
    }

    @Test("Every strict prefix of a signature of any kind is refused", arguments: 0..<schemes.count)
    func prefixes(_ index: Int) throws {
        let (kind, scheme) = Self.schemes[index]
        let signer = try Signer(kind)
        let signature = try signer.key.sign(Signer.clientData, by: scheme)
        for length in stride(from: 0, to: signature.count, by: max(1, signature.count / 40)) {
            let cut = signer.evidence(algorithm: scheme.rawValue, signature: Array(signature.prefix(length)))
            #expect(signer.judge(cut).outcome == "bad_signature")
        }
        let longer = signer.judge(signer.evidence(algorithm: scheme.rawValue, signature: signature + [0]))
        #expect(longer.outcome == (scheme == .mlDSA87 ? "evidence_too_large" : "bad_signature"))
    }

    @Test("Evidence other than an algorithm and a signature is refused")
    func body() throws {
        let signer = try Signer()
        let signature = try signer.key.sign(Signer.clientData, by: .ecdsaP256SHA256)
        for body in [
            [], [1], Evidence.join([[1]]), Evidence.join([[], signature]), Evidence.join([[1, 1], signature]),
            Evidence.join([[1], signature, []]), Array(Evidence.join([[1], signature]).dropLast()), [1] + signature,
        ] as [[UInt8]] {
            let evidence = Evidence(format: .keySignature, keyID: signer.keyID, body: body)
            #expect(signer.judge(evidence).outcome == "bad_signature")
        }
        let huge = signer.evidence(algorithm: 1, signature: [UInt8](repeating: 0x30, count: 4628))
        #expect(signer.judge(huge).outcome == "evidence_too_large")
    }

    @Test("A signature by another key is refused")
    func otherKey() throws {
        let signer = try Signer()
        let other = try TestKey(.p256, seed: "key signatures", label: "other")
        let forged = signer.evidence(algorithm: 1, signature: try other.sign(Signer.clientData, by: .ecdsaP256SHA256))
        #expect(signer.judge(forged).outcome == "bad_signature")
    }

    @Test("The device must be registered under the key, in a format that has an appraiser")
    func device() throws {
        let signer = try Signer()
        #expect(signer.judge(try signer.evidence(), device: .some(nil)).outcome == "unknown_device")
        let other = try Signer(.p384)
        #expect(signer.judge(try signer.evidence(), device: .some(other.device)).outcome == "unknown_device")
        let phone = try Signer(format: .appAttestAttestation)
        #expect(phone.judge(try phone.evidence()).outcome == "unknown_device")
    }

    @Test("The assurance is today's assurance of the device")
    func today() throws {
        let signer = try Signer()
        let strong = signer.judge(try signer.evidence(), by: StubRunner(verdict: .success(.secureElement)))
        #expect(strong.assurance == .secureElement)
        let revoked = signer.judge(
            try signer.evidence(), by: StubRunner(verdict: .failure(Rejection(.revoked, "on the list"))))
        #expect(revoked.outcome == "revoked")
    }

    @Test("Signatures serve the purposes of a registered key, and have no counter")
    func purposes() {
        let verifier = KeySignatureVerifier(judges: [StubRunner()])
        #expect(verifier.purposes == [.assert, .provision])
        #expect(verifier.replayProtection != .counter)
    }

    @Test("A refused signature claims nothing")
    func noClaims() throws {
        let signer = try Signer()
        let appraisal = signer.judge(try signer.evidence(over: [1]))
        #expect(appraisal.claims.all.isEmpty)
        #expect(!appraisal.findings.contains { $0.check == "today" })
    }

    @Test(
        "Invalid registered keys, and kinds that cannot sign, are refused",
        arguments: [
            [], [0x30, 0], TestKey.subjectPublicKeyInfo(.p384, [4] + [UInt8](repeating: 1, count: 96)),
            TestKey.subjectPublicKeyInfo(.mlDSA65, [1, 2, 3]), TestKey.subjectPublicKeyInfo(.ed25519, [1]),
            TestKey.subjectPublicKeyInfo(.rsa2048, DERWriter.sequence([DERWriter.integer(15), DERWriter.integer(3)])),
            DERWriter.sequence([
                DERWriter.sequence([DERWriter.objectIdentifier("1.3.101.110")]),
                DERWriter.bitString([UInt8](repeating: 9, count: 32)),
            ]),
        ] as [[UInt8]])
    func otherKeys(_ publicKey: [UInt8]) throws {
        let signer = try Signer(publicKey: publicKey)
        #expect(signer.judge(try signer.evidence()).outcome == "unsupported_key")
    }

    @Test("RSA keys of 1024 bits are refused, of 4096 are accepted")
    func sizes() throws {
        let weak = try Signer(.rsa1024)
        #expect(weak.judge(try weak.evidence(.rsaPSSSHA256)).outcome == "unsupported_key")
        let strong = try Signer(.rsa4096)
        #expect(strong.judge(try strong.evidence(.rsaPSSSHA256)).outcome == "accepted")
    }

    @Test("One hash of a caller is one use, whatever the signature's encoding")
    func use() throws {
        let signer = try Signer()
        let verifier = KeySignatureVerifier(judges: [StubRunner()])
        let draft = try TestSigningKey(.p256, seed: "key signatures", label: "signer").sign([1], hash: .sha256)
        let (one, mirrored) = (
            signer.evidence(algorithm: 1, signature: draft.der), signer.evidence(algorithm: 1, signature: draft.mirrored.der)
        )
        #expect(one.digest != mirrored.digest)
        let app = try #require(AppID("camera"))
        func use(_ evidence: Evidence, _ vouched: [UInt8]) -> [UInt8] { verifier.use(of: evidence, for: app, vouched: vouched) }
        #expect(use(one, [1]) == use(mirrored, [1]))
        #expect(use(one, [1]) != use(one, [2]))
        #expect(use(one, [1]) != use(try Signer(.p384).evidence(), [1]))
    }

    @Test("A key id that is passed as text is named as such, and asks for no new key")
    func textOfKeyID() throws {
        let signer = try Signer()
        let good = try signer.evidence()
        let text = Array(Base64.standard.encode(signer.keyID).utf8)
        let failure = try #require(
            signer.judge(Evidence(format: .keySignature, keyID: text, body: good.body), device: .some(nil)).failure)
        #expect(failure.code == "key_id_mismatch" && failure.rejection?.retry == .never)
        #expect(failure.detail == "a key id of 44 bytes, want 32: the Base64 text of a key id?")
    }

    @Test(
        "An ECDSA signature in another form than DER is described by its form",
        arguments: [(TestKey.Kind.p256, KeySignatureAlgorithm.ecdsaP256SHA256, 32), (.p384, .ecdsaP384SHA384, 48)])
    func forms(_ kind: TestKey.Kind, _ scheme: KeySignatureAlgorithm, _ width: Int) throws {
        let signer = try Signer(kind)
        let der = try signer.key.sign(Signer.clientData, by: scheme)
        let raw = try ECDSASignature(der: der[...], width: width).raw
        for (signature, words) in [
            (raw, "\(2 * width) bytes r ‖ s, want DER"), (Array(Base64.standard.encode(der).utf8), "is text"),
            (Array(Hex.encode(der).utf8), "is text"), ([], "is empty"), (Array(raw.prefix(32)), "32 bytes: a hash"),
        ] {
            let failure = try #require(signer.judge(signer.evidence(algorithm: scheme.rawValue, signature: signature)).failure)
            #expect(failure.code == "bad_signature" && failure.detail.contains(words), "\(failure.detail)")
            #expect(!failure.detail.contains("did not sign"))
        }
    }

    @Test("A signature over other bytes names the app's slip", arguments: 0..<schemes.count)
    func slips(_ index: Int) throws {
        let (kind, scheme) = Self.schemes[index]
        let signer = try Signer(kind)
        let data = Signer.clientData
        for (message, words) in [
            (SHA256.bytes(of: data), "the app passed the hash of the client data, not the client data"),
            (Array(Base64.standard.encode(data).utf8), "the app passed the Base64 text of the client data"),
            (Array(Hex.encode(data).utf8), "the app passed the hexadecimal text of the client data"),
            ([1], ""),
        ] {
            let failure = try #require(signer.judge(try signer.evidence(scheme, over: message)).failure)
            #expect(failure.code == "bad_signature")
            #expect(
                words.isEmpty ? !failure.detail.contains("the app") : failure.detail.hasSuffix(": \(words)"),
                "\(failure.detail)")
        }
    }
}
