import AssayCertificates
import AssayCore
import AssaySimulator
import SafetyNet
import Testing

@Suite("SafetyNet responses")
struct SafetyNetTests {
    @Test("Stored responses are appraised as at the time of the service")
    func good() throws {
        let appraisal = try SampleResponse().judge(SampleResponse().response())
        #expect(appraisal.failure == nil, "\(appraisal.findings)")
        #expect(appraisal.assurance == .software && appraisal.simulated)
        #expect(appraisal.claims.text("apkPackageName") == "com.example.shop")
        #expect(appraisal.claims.integer("timestampMs") == SampleResponse.now.unixMilliseconds)
        #expect(appraisal.claims.integer("chain_length_in_token") == 1)
    }

    @Test("Responses serve no purpose of a daemon")
    func purposes() {
        #expect(SafetyNetVerifier(anchors: [], policy: SafetyNetPolicy()).purposes.isEmpty)
    }

    @Test("Only Google's anchors of the web PKI are trusted")
    func anchors() {
        #expect(
            TrustAnchor.safetyNet.map { Hex.encode($0.certificateSHA256) } == [
                "ebd41040e4bb3ec742c9e381d31ef2a41a48b6685c96e7cef3c1df6cd4331c99",
                "69e2d06c30f366166165e91d68d1cee5cc47584a80227e76666086c0107241eb",
            ])
        for anchor in TrustAnchor.safetyNet { #expect(anchor.publicKey.sha256 == anchor.publicKeySHA256 && !anchor.simulated) }
    }

    @Test("A response has three parts")
    func parts() throws {
        let response = try SampleResponse().response()
        for bad in ["", response + ".AA", String(response.prefix { $0 != "." }), response + "=", " " + response] {
            #expect(try SampleResponse().judge(bad).failure?.code == "malformed_token")
        }
        let long = String(repeating: "A", count: SafetyNetVerifier.responseLimit + 1)
        #expect(try SampleResponse().judge(long).failure?.code == "evidence_too_large")
    }

    @Test("A response is signed with RS256", arguments: ["none", "HS256", "RS384", "PS256", "ES256", "rs256"])
    func algorithms(_ name: String) throws {
        #expect(try SampleResponse.code { $0.header = .object([.init("alg", .text(name))]) } == "bad_algorithm")
    }

    @Test("The header brings certificates and no other keys", arguments: ["jwk", "jku", "x5u", "crit"])
    func header(_ member: String) throws {
        #expect(try SampleResponse.code { $0.header[member] = .text("x") } == "bad_algorithm")
    }

    @Test("The header has one to six certificates, in Base64 of DER")
    func certificates() throws {
        #expect(try SampleResponse.code { $0.header["x5c"] = .texts([]) } == "malformed_token")
        #expect(try SampleResponse.code { $0.header["x5c"] = .text("") } == "malformed_token")
        #expect(try SampleResponse.code { $0.certificates = [[UInt8]](repeating: [0x30, 0], count: 7) } == "malformed_token")
        #expect(try SampleResponse.code { $0.header["x5c"] = .texts(["!"]) } == "malformed_certificate")
        #expect(try SampleResponse.code { $0.certificates = [[0x30, 0]] } == "malformed_certificate")
        let twice = try SampleResponse().leaf()
        #expect(try SampleResponse.code { $0.certificates = [twice, twice] } == "name_chaining")
    }

    @Test("The certificate is attest.android.com's by a DNS name, byte for byte")
    func host() throws {
        #expect(try SampleResponse.code { $0.names = [.dns("example.org"), .dns("attest.android.com")] } == nil)
        for names: [SubjectAlternativeName] in [
            [], [.dns("attest.android.com.evil.example")], [.dns("evil-attest.android.com")], [.dns("*.android.com")],
            [.dns("ATTEST.android.com")], [.uri("attest.android.com")],
        ] {
            #expect(try SampleResponse.code { $0.names = names } == "hostname_mismatch", "\(names)")
        }
        #expect(try SampleResponse.code { $0.commonName = "unknown" } == nil, "the common name says nothing")
    }

    @Test("A response and its certificates are appraised at the time of verification")
    func time() throws {
        let (sample, later) = (SampleResponse(), SampleResponse.now.adding(milliseconds: 2 * 86_400_000))
        #expect(try sample.judge(sample.response(), at: later).failure?.code == "expired")
        for (age, code) in [
            (0, nil), (300_000, nil), (300_001, "stale_timestamp"), (-60_000, nil), (-60_001, "stale_timestamp"),
        ] {
            #expect(
                try SampleResponse.code {
                    $0.payload["timestampMs"] = .integer(SampleResponse.now.unixMilliseconds - Int64(age))
                } == code)
        }
    }

    @Test("The certificate's key signs the response")
    func signature() throws {
        #expect(try SampleResponse().judge(SampleResponse().response(forged: true)).failure?.code == "bad_signature")
        let forged = try SampleResponse().judge(SampleResponse().response(forged: true))
        #expect(forged.claims.all.isEmpty)
    }

    @Test("The payload must have its mandatory members")
    func payload() throws {
        for name in ["nonce", "timestampMs"] {
            #expect(try SampleResponse.code { $0.payload[name] = nil } == "malformed_token")
            #expect(try SampleResponse.code { $0.payload[name] = .boolean(true) } == "malformed_token")
        }
        #expect(try SampleResponse.code { $0.payload["timestampMs"] = .integer(-1) } == "malformed_token")
        #expect(try SampleResponse.code { $0.payload = .array([]) } == "malformed_token")
        let good = String(decoding: SampleResponse().payload.bytes, as: UTF8.self)
        for (more, code) in [
            (#","x":1}"#, nil), (#","x":1,"x":1}"#, "malformed_token"), (#","basicIntegrity":true}"#, "malformed_token"),
            (#","x":"\ud800"}"#, "malformed_token"),
        ] {
            #expect(try SampleResponse.code { $0.payload = .literal(good.dropLast() + more) } == code, "\(more)")
        }
        let sample = SampleResponse()
        #expect(try sample.judge(sample.response(), nonce: [1]).failure?.code == "nonce_mismatch")
        #expect(try SampleResponse.code { $0.payload["nonce"] = .text("not Base64") } == "nonce_mismatch")
    }

    @Test("The device must have the required integrity")
    func integrity() throws {
        for change: (inout JSONDraft) -> Void in [
            { $0["ctsProfileMatch"] = .boolean(false) }, { $0["ctsProfileMatch"] = nil },
            { $0["error"] = .text("internal_error") },
        ] {
            #expect(try SampleResponse.code { change(&$0.payload) } == "cts_profile_mismatch")
        }
        #expect(
            try SampleResponse.code {
                $0.payload["ctsProfileMatch"] = .boolean(false)
                $0.policy.requiresCTSProfile = false
            } == nil)
        #expect(
            try SampleResponse.code {
                $0.payload["basicIntegrity"] = .boolean(false)
                $0.policy.requiresCTSProfile = false
            } == "cts_profile_mismatch")
        #expect(try SampleResponse.code { $0.payload["basicIntegrity"] = .boolean(false) } == "cts_profile_mismatch")
        #expect(
            try SampleResponse.code {
                $0.payload["ctsProfileMatch"] = .boolean(false)
                $0.payload["basicIntegrity"] = .boolean(false)
                $0.policy.requiresCTSProfile = false
                $0.policy.requiresBasicIntegrity = false
            } == nil)
    }
}
