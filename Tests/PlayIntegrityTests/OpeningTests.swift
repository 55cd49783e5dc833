import AssayCore
import AssaySimulator
import Crypto
import PlayIntegrity
import Testing

@Suite("Locally decrypted tokens")
struct OpeningTests {
    let sample: SampleToken
    init() throws { sample = try SampleToken() }

    private func parts() throws -> [String] {
        try sample.console.token(sample.standard).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    private func code(_ parts: [String]) throws -> String? { try sample.judge(token: parts.joined(separator: ".")).code }

    @Test("Tokens of either kind are accepted, with platform assurance")
    func good() throws {
        for payload in [sample.standard, sample.classic] {
            let appraisal = try sample.judge(payload)
            #expect(appraisal.isAccepted, "\(appraisal.findings)")
            #expect(appraisal.assurance == .platform && !appraisal.isSupplement && !appraisal.simulated)
            if case .none = appraisal.effect {} else { Issue.record("a token changes something") }
            #expect(appraisal.claims.text("decoded_by") == "local")
        }
        #expect(try sample.verifier().locate(sample.evidence("a")) == .nothing)
        #expect(try sample.verifier().relation == .boundToAttestedKey)
        #expect(try sample.verifier().purposes == [.assert, .register])
    }

    @Test("A token has five parts of base64url without padding")
    func shape() throws {
        let parts = try parts()
        for count in [0, 1, 2, 4] { #expect(try code(Array(parts.prefix(count))) == "malformed_token", "\(count)") }
        #expect(try code(parts + ["AAAA"]) == "malformed_token")
        #expect(try code(parts + [""]) == "malformed_token")
        for index in parts.indices {
            for bad in [
                parts[index] + "=", " " + parts[index], parts[index] + "\n", "+" + parts[index].dropFirst(),
                parts[index] + "A?",
            ] {
                var parts = parts
                parts[index] = bad
                #expect(try code(parts) == "malformed_token", "part \(index): \(bad.suffix(4))")
            }
        }
        let signed = String(decoding: try sample.console.sign(sample.standard.bytes), as: UTF8.self)
        #expect(try sample.judge(token: signed).code == "malformed_token")
        #expect(try sample.judge(token: String(repeating: ".", count: 60_000)).code == "malformed_token")
        #expect(
            try sample.judge(token: String(repeating: "A", count: PlayIntegrityVerifier.tokenLimit + 1)).code
                == "evidence_too_large")
    }

    @Test("A token has one spelling: surplus bits and padding are refused")
    func spelling() throws {
        // Payloads of three lengths, so that each variable part has surplus bits in some.
        for padding in 0..<3 {
            var payload = sample.standard
            payload["padding"] = .text(String(repeating: "x", count: padding))
            let token = try sample.console.token(payload)
            #expect(try sample.judge(token: token).isAccepted)
            for other in try sample.respellings(of: token) {
                #expect(try sample.judge(token: other).code == "malformed_token", "\(other.suffix(12))")
            }
        }
    }

    @Test("One use is one hash that a caller guarantees; another app or another hash is another use")
    func use() throws {
        let verifier = try sample.verifier()
        let (shop, other) = (try #require(AppID("shop")), try #require(AppID("other")))
        let (one, two) = (sample.evidence(try sample.console.token(sample.standard)), sample.evidence(sample.signedElsewhere))
        let use = verifier.use(of: one, for: shop, vouched: [1])
        #expect(use == verifier.use(of: two, for: shop, vouched: [1]) && use != one.digest)
        #expect(use != verifier.use(of: one, for: shop, vouched: [2]) && use != verifier.use(of: one, for: other, vouched: [1]))
        #expect(
            verifier.replayProtection.acceptableFor == 360_000,
            "five minutes, and a minute by which Google's clock may be ahead")
    }

    @Test(
        "Bytes other than visible characters are refused without a request to Google", arguments: ["", "a b", "a\n", "é", "\0"])
    func text(_ token: String) throws {
        for decoding in PlayDecoding.allCases {
            var sample = sample
            sample.decoding = decoding
            let (verifier, evidence) = (try sample.verifier(), sample.evidence(token))
            #expect(throws: Rejection(.malformedToken, "")) { try verifier.locate(evidence) }
        }
    }

    @Test(
        "The header names A256KW and A256GCM and nothing that changes their meaning",
        arguments: [
            #"{"alg":"dir","enc":"A256GCM"}"#, #"{"alg":"A128KW","enc":"A256GCM"}"#, #"{"alg":"RSA-OAEP","enc":"A256GCM"}"#,
            #"{"alg":"A256KW","enc":"A128GCM"}"#, #"{"alg":"A256KW"}"#, #"{"alg":"a256kw","enc":"A256GCM"}"#,
            #"{"alg":"A256KW","enc":"A256GCM","zip":"DEF"}"#, #"{"alg":"A256KW","enc":"A256GCM","zip":null}"#,
            #"{"alg":"A256KW","enc":"A256GCM","crit":["exp"]}"#, #"{"alg":"A256KW","enc":"A256GCM","jwk":{}}"#,
            #"{"alg":"A256KW","enc":"A256GCM","jku":"https://example.org"}"#,
        ])
    func outerAlgorithms(_ header: String) throws {
        let signed = try sample.console.sign(sample.standard.bytes)
        #expect(try sample.judge(token: sample.console.seal(signed, header: .literal(header))).code == "bad_algorithm")
    }

    @Test(
        "The header is one strict JSON object",
        arguments: [
            "", "[]", "1", #"{"alg":"A256KW","alg":"A256KW","enc":"A256GCM"}"#, #"{"alg":"A256KW","enc":"A256GCM"}x"#,
            #"{"alg":7,"enc":"A256GCM"}"#, #"{"enc":"A256GCM"}"#, #"{"alg":null,"enc":"A256GCM"}"#,
        ])
    func header(_ header: String) throws {
        let signed = try sample.console.sign(sample.standard.bytes)
        #expect(try sample.judge(token: sample.console.seal(signed, header: .literal(header))).code == "malformed_token")
        let sealed = try sample.console.seal(sample.console.sign(sample.standard.bytes, header: .literal(header)))
        #expect(try sample.judge(token: sealed).code == "malformed_token")
    }

    @Test("The header may have further members")
    func furtherMembers() throws {
        let signed = try sample.console.sign(sample.standard.bytes, header: .literal(#"{"typ":"JWT","alg":"ES256"}"#))
        let token = try sample.console.seal(signed, header: .literal(#"{"kid":"7","enc":"A256GCM","alg":"A256KW"}"#))
        #expect(try sample.judge(token: token).isAccepted)
    }

    @Test("The wrapped key has 40 octets, the iv 12 and the tag 16")
    func lengths() throws {
        let parts = try parts()
        for (index, lengths) in [(1, [0, 32, 39, 41, 48]), (2, [0, 11, 16]), (4, [0, 12, 15, 17])] {
            for length in lengths {
                var parts = parts
                parts[index] = Base64.url.encode([UInt8](repeating: 1, count: length))
                #expect(try code(parts) == "malformed_token", "part \(index) of \(length)")
            }
        }
    }

    @Test("A token with one bit changed in any part, or for another app's key, is not decrypted")
    func bits() throws {
        let parts = try parts()
        for index in 1..<5 {
            var parts = parts
            var bytes = try #require(Base64.url.decode(parts[index]))
            bytes[bytes.count / 2] ^= 1
            parts[index] = Base64.url.encode(bytes)
            #expect(try code(parts) == "decryption_failed", "part \(index)")
        }
        // The header has the same meaning, and is authenticated nevertheless.
        var spaced = parts
        spaced[0] = Base64.url.encode(Array(#"{"alg":"A256KW", "enc":"A256GCM"}"#.utf8))
        #expect(try code(spaced) == "decryption_failed")
        var others = sample
        others.keys = [try sample.keySet(PlayConsole(seed: "other"))]
        #expect(try others.judge(sample.standard).code == "decryption_failed")
        others.keys = []
        #expect(try others.judge(sample.standard).code == "decryption_failed")
    }

    @Test("An older key of the list decrypts a token, and the verdict says so")
    func rotation() throws {
        var rotated = sample
        rotated.keys = [try sample.keySet(PlayConsole(seed: "new")), try sample.keySet()]
        let appraisal = try rotated.judge(sample.standard)
        #expect(appraisal.isAccepted && appraisal.notes(at: "decryption") == ["older_key"])
        rotated.console = PlayConsole(seed: "new")
        #expect(try rotated.judge(sample.standard).notes(at: "decryption") == [])
    }

    @Test(
        "The inner token is signed with ES256",
        arguments: [
            #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"ES384"}"#, #"{"alg":"RS256"}"#, #"{"alg":"es256"}"#,
            #"{"alg":"ES256","enc":"A256GCM"}"#, #"{"alg":"ES256","jwk":{}}"#, #"{"alg":"ES256","x5c":[]}"#,
            #"{"alg":"ES256","jku":""}"#, #"{"alg":"ES256","crit":[]}"#, #"{"alg":"ES256","b64":false}"#,
        ])
    func innerAlgorithms(_ header: String) throws {
        let signed = try sample.console.sign(sample.standard.bytes, header: .literal(header))
        #expect(try sample.judge(token: sample.console.seal(signed)).code == "bad_algorithm")
    }

    @Test("The signature is by the key of the same pair, as r ‖ s in 64 octets")
    func signatures() throws {
        let forged = try PlayConsole(seed: "forger").sign(sample.standard.bytes)
        #expect(try sample.judge(token: sample.console.seal(forged)).code == "bad_signature")
        let zero = [UInt8](repeating: 0, count: 32)
        let encodings: [(SignatureDraft) -> [UInt8]] = [
            { Array($0.raw.dropLast()) }, { Array($0.raw.dropFirst()) }, { $0.raw + [0] }, { $0.der }, { _ in [] },
            { zero + $0.s }, { $0.r + zero }, { _ in zero + zero }, { _ in [UInt8](repeating: 0xFF, count: 64) },
        ]
        for encode in encodings {
            let signed = try sample.console.sign(sample.standard.bytes, encode: encode)
            #expect(try sample.judge(token: sample.console.seal(signed)).code == "bad_signature")
        }
        // A sender that can encrypt to an older key of the app cannot sign with the newer pair's.
        var rotated = sample
        rotated.keys = [try sample.keySet(), try sample.keySet(PlayConsole(seed: "old"))]
        let crossed = try PlayConsole(seed: "old").seal(sample.console.sign(sample.standard.bytes))
        #expect(try rotated.judge(token: crossed).code == "bad_signature")
    }

    @Test("The decrypted content is a signed token, not bare JSON")
    func nesting() throws {
        #expect(try sample.judge(token: sample.console.seal(sample.standard.bytes)).code == "malformed_token")
        #expect(try sample.judge(token: sample.console.seal([])).code == "malformed_token")
    }

    @Test("No claim is made before the token is authentic")
    func claims() throws {
        let forged = try sample.console.seal(PlayConsole(seed: "forger").sign(sample.standard.bytes))
        #expect(try sample.judge(token: forged).claims.all.isEmpty)
    }

    @Test("Keys of another kind are refused")
    func keys() throws {
        let console = sample.console
        #expect(
            PlayKeySet(decryptionKey: Array(console.decryptionKey.dropLast()), verificationKey: console.verificationKey) == nil)
        #expect(PlayKeySet(decryptionKey: console.decryptionKey, verificationKey: []) == nil)
        let p384 = TestSigningKey(.p384).subjectPublicKeyInfo
        #expect(PlayKeySet(decryptionKey: console.decryptionKey, verificationKey: p384) == nil)
        #expect(try sample.keySet().fingerprint == SHA256.bytes(of: console.verificationKey))
    }
}
