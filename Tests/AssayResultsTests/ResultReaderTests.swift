import AssayCore
import AssaySigning
import Testing

@testable import AssayResults

@Suite("Reading results")
struct ResultReaderTests {
    private func fault(
        _ reader: ResultReader, _ token: [UInt8], _ expected: ResultExpectation
    ) -> (code: ResultFault.Code, place: String)? {
        do throws(ResultFault) {
            _ = try reader.read(token, expecting: expected)
            return nil
        } catch {
            return (error.code, error.place)
        }
    }

    @Test("Every shape is read back as it was made, by every kind of key that signs it", arguments: SigningAlgorithm.allCases)
    func readBack(_ algorithm: SigningAlgorithm) async throws {
        let key = try Sample.key(algorithm)
        let reader = ResultReader(keys: try Sample.keySet(key))
        for shape in ResultShape.allCases where key.canSign(shape) {
            let token = try await Sample.token(shape, by: key, status: Sample.place)
            var expected = Sample.expectation(shape)
            if shape != .clientAttestation && shape != .walletInstance { expected.nonce = Sample.nonce }
            let result = try reader.read(token, expecting: expected)
            #expect(result.shape == shape && result.keyIdentifier == key.identifier && !result.isSimulated)
            #expect(result.issuedAt == Timestamp(unixSeconds: 1_790_000_000))
            #expect(result.content == (shape == .plainCOSE ? [0x08, 0x01] : nil))
            #expect(try ResultReader.statedShape(of: token) == shape)
        }
    }

    @Test("An EAR in CBOR has the claims of the one in JSON, but for its identifier")
    func forms() async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        var forms: [[[UInt8]: JSONValue]] = []
        for shape in [ResultShape.earJWT, .earCWT] {
            let token = try await Sample.token(shape, by: key, status: Sample.place)
            let result = try reader.read(token, expecting: Sample.expectation(shape))
            let members = result.claims.members.filter { $0.name != Array("jti".utf8) }
            forms.append(Dictionary(uniqueKeysWithValues: members.map { ($0.name, Self.ordered($0.value)) }))
        }
        #expect(forms[0] == forms[1])
    }

    /// Members by name, since the two forms order them differently.
    private static func ordered(_ value: JSONValue) -> JSONValue {
        guard case .object(let object) = value else { return value }
        return .object(
            JSONObject(
                object.members.map { JSONObject.Member(name: $0.name, value: ordered($0.value)) }
                    .sorted { $0.name.lexicographicallyPrecedes($1.name) }))
    }

    @Test("Issuer and audience are those that are expected, exactly", arguments: ResultShape.allCases)
    func parties(_ shape: ResultShape) async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        let token = try await Sample.token(shape, by: key)
        for audience in [Sample.otherAudience, Sample.audience + "/", String(Sample.audience.dropLast()), ""] {
            var expected = Sample.expectation(shape)
            expected.audience = audience
            let fault = fault(reader, token, expected)
            #expect(
                fault?.code == (shape.namesAudience ? .wrongAudience : nil)
                    && fault?.place == (shape.namesAudience ? "aud" : nil))
        }
        for issuer in [Sample.simulatedIssuer, Sample.issuer + "/", ""] {
            var expected = Sample.expectation(shape)
            expected.issuer = issuer
            let fault = fault(reader, token, expected)
            #expect(
                fault?.code == (shape.namesIssuer ? .wrongIssuer : nil) && fault?.place == (shape.namesIssuer ? "iss" : nil))
        }
    }

    @Test("A token is good from its verdict to its end, give or take what clocks may differ", arguments: ResultShape.allCases)
    func life(_ shape: ResultShape) async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        let token = try await Sample.token(shape, by: key)
        let end = Timestamp(unixSeconds: shape == .session ? 1_790_003_600 : 1_790_000_300)
        var expected = Sample.expectation(shape)
        expected.now = end
        #expect(fault(reader, token, expected)?.code == .expired && fault(reader, token, expected)?.place == "exp")
        expected.now = end.adding(milliseconds: -1)
        #expect(fault(reader, token, expected) == nil)
        expected.now = Timestamp(unixSeconds: 1_789_999_999)
        #expect(fault(reader, token, expected)?.code == .notYetValid && fault(reader, token, expected)?.place == "iat")
        expected.tolerance = 1000
        #expect(fault(reader, token, expected) == nil)
        expected.now = end.adding(milliseconds: 999)
        #expect(fault(reader, token, expected) == nil)
        expected.now = end.adding(milliseconds: 1000)
        #expect(fault(reader, token, expected)?.code == .expired)
    }

    @Test("A nonce that was given has to be there")
    func nonces() async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        for shape in ResultShape.allCases {
            let name = shape == .earJWT || shape == .earCWT ? "eat_nonce" : "nonce"
            var expected = Sample.expectation(shape)
            expected.nonce = Array("another nonce".utf8)
            for nonce in [Sample.nonce, []] {
                let token = try await Sample.token(shape, by: key, nonce: nonce)
                let fault = fault(reader, token, expected)
                #expect(fault?.code == .wrongNonce && fault?.place == name, "\(shape.rawValue)")
            }
        }
    }

    @Test("A token of a simulated device is read where one is expected, and nowhere else", arguments: ResultShape.allCases)
    func simulated(_ shape: ResultShape) async throws {
        let key = try Sample.key(simulated: true)
        let reader = ResultReader(keys: try Sample.keySet(key))
        let token = try await Sample.token(shape, by: key)
        let expected = Sample.expectation(shape, simulated: true)
        let result = try reader.read(token, expecting: expected)
        #expect(result.isSimulated)
        var real = expected
        real.isSimulated = false
        let fault = fault(reader, token, real)
        let place = shape == .earJWT || shape == .earCWT ? "submods.device.ear_verifier_claims.simulated" : "assay.simulated"
        #expect(fault?.code == .wrongKindOfDevice && fault?.place == place)
        // The other way round: a real device's token where a test expects a simulated one.
        let realKey = try Sample.key()
        let realToken = try await Sample.token(shape, by: realKey)
        var testing = Sample.expectation(shape)
        testing.isSimulated = true
        #expect(self.fault(ResultReader(keys: try Sample.keySet(realKey)), realToken, testing)?.code == .wrongKindOfDevice)
    }

    @Test("A token that is too long is not parsed")
    func size() throws {
        let reader = ResultReader(keys: try Sample.keySet(try Sample.key()))
        let token = [UInt8](repeating: 0x61, count: ResultReader.sizeLimit + 1)
        let fault = fault(reader, token, Sample.expectation(.earJWT))
        #expect(fault?.code == .tooLarge && fault?.place == "token")
    }

    @Test("Claims that a shape has to have are missed, and wrong ones are refused, with their place")
    func claims() async throws {
        let signer = FileSigner(SigningKey.random(.p256))
        let key = try found(ResultKey(signer, issuer: ResultIssuer(.devices, address: Sample.issuer)), "a key")
        let reader = ResultReader(keys: try Sample.keySet(key))
        let cases: [(ResultShape, String, String, ResultFault.Code, String)] = [
            (.earJWT, "\"iat\":1790000000", "\"iat\":1790000000.0", .malformed, "iat"),
            (.earJWT, "\"exp\":1790000300", "\"exp\":\"1790000300\"", .malformed, "exp"),
            (.earJWT, "\"exp\":1790000300,", "", .wrongClaim, "exp"),
            (.earJWT, "\"jti\":", "\"jt\":", .wrongClaim, "jti"),
            (.earJWT, "rats/ear#04", "rats/ear#03", .wrongType, "eat_profile"),
            (.earJWT, "\"developer\":\"Assay\"", "\"developer\":\"\"", .wrongClaim, "ear_verifier_id.developer"),
            (.earJWT, "\"storage-opaque\":2", "\"storage-opaque\":96", .wrongClaim, "submods.device.ear_status"),
            (
                .earJWT, "\"storage-opaque\":2", "\"storage-opaque\":128", .malformed,
                "submods.device.ear_trustworthiness_vector.storage-opaque"
            ),
            (
                .earJWT, "\"storage-opaque\":2", "\"storage\":2", .wrongClaim,
                "submods.device.ear_trustworthiness_vector.storage"
            ),
            (
                .earJWT, "\"ear_status\":\"affirming\",\"ear_trust", "\"ear_status\":\"warning\",\"ear_trust", .wrongClaim,
                "ear_status"
            ),
            (.earJWT, "\"submods\":{\"device\"", "\"submods\":{\"other\"", .wrongClaim, "submods.device"),
            (.session, "\"jkt\":", "\"jwk\":", .wrongClaim, "cnf.jkt"),
            (.session, "\"assay\":", "\"other\":", .wrongClaim, "assay"),
            (.clientAttestation, "\"kty\":\"EC\"", "\"kty\":\"EC\",\"d\":\"AA\"", .malformed, "cnf.jwk.d"),
            (.clientAttestation, "\"crv\":\"P-256\"", "\"crv\":\"P-521\"", .wrongClaim, "cnf.jwk"),
            (.clientAttestation, "\"sub\":", "\"subject\":", .wrongClaim, "sub"),
            (.plainJWS, "\"verdict\":", "\"verdicts\":", .wrongClaim, "verdict"),
        ]
        for (shape, old, new, code, place) in cases {
            let jws = String(decoding: try Sample.draft(shape, by: key).toBeSigned, as: UTF8.self)
            let parts = jws.split(separator: ".")
            let text = String(decoding: try found(Base64.url.decode(parts[1]), "claims"), as: UTF8.self)
            #expect(text.contains(old), "the case has no effect: \(old)")
            let changed = parts[0] + "." + Base64.url.encode(Array(text.replacing(old, with: new).utf8))
            let signature = Base64.url.encode(try await signer.signRaw(Array(changed.utf8)))
            let fault = fault(reader, Array((changed + "." + signature).utf8), Sample.expectation(shape))
            #expect(fault?.code == code && fault?.place == place, "\(new): \(fault.map { "\($0)" } ?? "accepted")")
        }
    }

    @Test("Signatures of RFC 7515 A.3 and RFC 8037 A.4 verify, and not over other bytes")
    func signaturesOfTexts() throws {
        let x = try found(Base64.url.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"), "x")
        let y = try found(Base64.url.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"), "y")
        let p256 = try found(JSONWebKey(.p256, coordinates: x + y), "a key")
        let signature = try found(
            Base64.url.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"), "it")
        let input = Array(
            ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ")
                .utf8)
        #expect(p256.isValid(signature, over: input))
        #expect(!p256.isValid(signature, over: input + [0]))
        #expect(!p256.isValid(Array(signature.dropLast()), over: input))

        let edwards = try found(
            JSONWebKey(
                .ed25519, coordinates: try found(Base64.url.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"), "x")),
            "a key")
        let signed = try found(
            Base64.url.decode("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"), "it")
        #expect(edwards.isValid(signed, over: Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)))
        #expect(!edwards.isValid(signed, over: Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmd".utf8)))
    }
}
