import AssayCore
import AssayEncoding
import AssaySigning
import Crypto
import Foundation
import Testing

@testable import AssayResults

/// Claims and headers as a reader of other origin finds them.
@Suite("Shapes of results")
struct ShapeTests {
    private let key: ResultKey
    private let kid: String
    private let device: String
    private let jwk: [String: Any]

    init() throws {
        key = try Sample.key()
        kid = Base64.url.encode(key.identifier)
        device = PairwiseIdentifier(secret: Sample.secret, audience: Sample.audience)
            .name(of: try found(DeviceID(bytes: Array(0..<16)), "a device"))
        let point = Array(Sample.deviceKey.x963Representation)
        jwk = [
            "kty": "EC", "crv": "P-256", "x": Base64.url.encode(point[1..<33]), "y": Base64.url.encode(point[33..<65]),
        ]
    }

    private func read(
        _ shape: ResultShape, _ facts: ResultFacts? = nil, nonce: [UInt8] = Sample.nonce, status: ResultStatusReference? = nil
    ) async throws -> (jws: ForeignJWS, identifier: String) {
        let draft = try Sample.draft(shape, by: key, facts, nonce: nonce, status: status)
        let token = draft.token(signature: try await key.signer.signRaw(draft.toBeSigned))
        let jws = try ForeignJWS(token)
        let isSigned = try jws.isSigned(by: key.signer.publicKey)
        #expect(isSigned)
        return (jws, Base64.url.encode(draft.identifier))
    }

    private var limits: [String: Any] { ["limits": ["relay_not_excluded", "attested_at_registration"]] }

    private var details: [String: Any] {
        [
            "app": "photos", "limits": ["relay_not_excluded", "attested_at_registration"], "purpose": "assert",
            "assurance": "hardware", "confidence": "medium_high", "request_id": String(repeating: "1d", count: 16),
            "payload_sha256": String(repeating: "ab", count: 32),
        ]
    }

    @Test("An EAR as a JWT has the claims of the draft and Assay's own below ear_verifier_claims")
    func earJWT() async throws {
        let (jws, identifier) = try await read(.earJWT, status: Sample.place)
        let header = try canonical(jws.header)
        #expect(try header == canonical(["alg": "ES256", "kid": kid, "typ": "eat+jwt"]))
        var verifierClaims = details
        verifierClaims["device"] = device
        let appraisal: [String: Any] = [
            "ear_status": "affirming",
            "ear_trustworthiness_vector": ["instance-identity": 2, "executables": 3, "hardware": 2, "storage-opaque": 2],
            "ear_appraisal_policy_ids": ["ni:///sha-256;UVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVE"],
            "eat_nonce": Base64.url.encode(Sample.challenge), "ear_verifier_claims": verifierClaims,
        ]
        let expected: [String: Any] = [
            "iss": Sample.issuer, "aud": Sample.audience, "iat": 1_790_000_000, "exp": 1_790_000_300, "jti": identifier,
            "eat_profile": "tag:ietf.org,2026:rats/ear#04", "eat_nonce": Base64.url.encode(Sample.nonce),
            "ear_status": "affirming",
            "ear_verifier_id": ["developer": "Assay", "build": "assayd \(Version.text)"],
            "status": ["status_list": ["idx": 70_001, "uri": "https://assay.example.com/v1/status/3"]],
            "submods": ["device": appraisal],
        ]
        let claims = try canonical(jws.claims)
        #expect(try claims == canonical(expected))
    }

    @Test("An EAR as a CWT has the labels of the draft, in the order of deterministic encoding")
    func earCWT() async throws {
        let draft = try Sample.draft(.earCWT, by: key, status: Sample.place)
        let message = try ForeignMessage(draft.token(signature: try await key.signer.signRaw(draft.toBeSigned)))
        let isSigned = try message.isSigned(by: key.signer.publicKey)
        #expect(isSigned)
        let header = try diagnostic(message.protected)
        #expect(header == "{1: -7, 4: h'\(Hex.encode(key.identifier))', 16: \"application/eat+cwt\"}")
        let details =
            "{\"app\": \"photos\", \"device\": \"\(device)\", \"limits\": [\"relay_not_excluded\", \"attested_at_registration\"], "
            + "\"purpose\": \"assert\", \"assurance\": \"hardware\", \"confidence\": \"medium_high\", "
            + "\"request_id\": h'\(String(repeating: "1d", count: 16))', "
            + "\"payload_sha256\": h'\(String(repeating: "ab", count: 32))'}"
        let appraisal =
            "{10: h'\(Hex.encode(Sample.challenge))', 1000: 2, 1001: {0: 2, 2: 3, 4: 2, 6: 2}, "
            + "1003: [\"ni:///sha-256;UVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVFRUVE\"], 1006: \(details)}"
        let claims = try CBORReader.parse(message.payload, code: .malformedToken, depth: 9)
        let found = try diagnostic(claims)
        #expect(
            found == "{1: \"\(Sample.issuer)\", 3: \"\(Sample.audience)\", 4: 1790000300, 6: 1790000000, "
                + "7: h'\(Hex.encode(draft.identifier))', 10: h'\(Hex.encode(Sample.nonce))', "
                + "265: \"tag:ietf.org,2026:rats/ear#04\", 266: {\"device\": \(appraisal)}, 1000: 2, "
                + "1004: {0: \"Assay\", 1: \"assayd \(Version.text)\"}, "
                + "65535: {\"status_list\": {\"idx\": 70001, \"uri\": \"https://assay.example.com/v1/status/3\"}}}")
    }

    @Test("A session token names the device to its audience and is bound to the key by its thumbprint")
    func session() async throws {
        let (jws, identifier) = try await read(.session, status: Sample.place)
        let header = try canonical(jws.header)
        #expect(try header == canonical(["alg": "ES256", "kid": kid, "typ": "assay-session+jwt"]))
        let members = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(jwk["x"] ?? "")\",\"y\":\"\(jwk["y"] ?? "")\"}"
        let expected: [String: Any] = [
            "iss": Sample.issuer, "sub": device, "aud": Sample.audience, "iat": 1_790_000_000, "exp": 1_790_003_600,
            "jti": identifier, "nonce": Base64.url.encode(Sample.nonce),
            "cnf": ["jkt": Base64.url.encode(SHA256.bytes(of: Array(members.utf8)))],
            "status": ["status_list": ["idx": 70_001, "uri": "https://assay.example.com/v1/status/3"]], "assay": details,
        ]
        let claims = try canonical(jws.claims)
        #expect(try claims == canonical(expected))
    }

    @Test("A client attestation has a subject, a life and the device's public key, and no issuer")
    func clientAttestation() async throws {
        let (jws, identifier) = try await read(.clientAttestation, status: Sample.place)
        let header = try canonical(jws.header)
        #expect(try header == canonical(["alg": "ES256", "kid": kid, "typ": "oauth-client-attestation+jwt"]))
        let expected: [String: Any] = [
            "sub": "https://client.example.com", "aud": Sample.audience, "iat": 1_790_000_000, "exp": 1_790_000_300,
            "jti": identifier, "cnf": ["jwk": jwk], "assay": limits,
        ]
        let claims = try canonical(jws.claims)
        #expect(try claims == canonical(expected))
    }

    @Test("A wallet's instance attestation has certificates in its header, and its status for 31 days after its end")
    func walletInstance() async throws {
        let (jws, identifier) = try await read(.walletInstance, status: Sample.place)
        let certificate = try found(key.certificates.first.map { Data($0).base64EncodedString() }, "a certificate")
        let header = try canonical(jws.header)
        #expect(try header == canonical(["alg": "ES256", "x5c": [certificate], "typ": "oauth-client-attestation+jwt"]))
        let list: [String: Any] = ["idx": 70_001, "uri": "https://assay.example.com/v1/status/3"]
        let expected: [String: Any] = [
            "sub": "https://client.example.com", "iat": 1_790_000_000, "exp": 1_790_000_300, "jti": identifier,
            "cnf": ["jwk": jwk], "wallet_name": "Example \"Wallet\"", "wallet_version": "2.1.0",
            "wallet_link": "https://wallet.example.com",
            "wallet_solution_certification_information": "https://wallet.example.com/certificate",
            "client_status": ["status": ["status_list": list], "exp": 1_790_000_300 + 31 * 86_400], "assay": limits,
        ]
        let claims = try canonical(jws.claims)
        #expect(try claims == canonical(expected))
    }

    @Test("A key attestation has the device's key, what holds it, and the credential issuer's nonce as it was")
    func keyAttestation() async throws {
        let (jws, identifier) = try await read(.keyAttestation, status: Sample.place)
        let certificate = try found(key.certificates.first.map { Data($0).base64EncodedString() }, "a certificate")
        let header = try canonical(jws.header)
        #expect(try header == canonical(["alg": "ES256", "x5c": [certificate], "typ": "key-attestation+jwt"]))
        let list: [String: Any] = ["idx": 70_001, "uri": "https://assay.example.com/v1/status/3"]
        let expected: [String: Any] = [
            "iat": 1_790_000_000, "exp": 1_790_000_300, "jti": identifier, "attested_keys": [jwk],
            "key_storage": ["iso_18045_enhanced-basic"], "certification": "https://wallet.example.com/certificate",
            "nonce": "nonce-of-the-audience",
            "key_storage_status": ["status": ["status_list": list], "exp": 1_790_000_300 + 31 * 86_400], "assay": limits,
        ]
        let claims = try canonical(jws.claims)
        #expect(try claims == canonical(expected))
    }

    @Test("A nonce that is no text is base64url in a key attestation")
    func nonceOfBytes() async throws {
        let (jws, _) = try await read(.keyAttestation, nonce: [0, 1, 2, 3, 4, 5, 6, 7])
        #expect(jws.claims["nonce"] as? String == "AAECAwQFBgc")
    }

    @Test("A plain JWS has the verdict's JSON as a claim")
    func plainJWS() async throws {
        let (jws, identifier) = try await read(.plainJWS)
        let header = try canonical(jws.header)
        #expect(try header == canonical(["alg": "ES256", "kid": kid, "typ": "assay-verdict+jwt"]))
        let expected: [String: Any] = [
            "iss": Sample.issuer, "aud": Sample.audience, "iat": 1_790_000_000, "exp": 1_790_000_300, "jti": identifier,
            "nonce": Base64.url.encode(Sample.nonce), "assay": limits,
            "verdict": ["decision": "accepted", "findings": [String]()] as [String: Any],
        ]
        let claims = try canonical(jws.claims)
        #expect(try claims == canonical(expected))
    }

    @Test("A plain COSE message has the verdict's protobuf as its content, and the claims in its protected header")
    func plainCOSE() async throws {
        let draft = try Sample.draft(.plainCOSE, by: key)
        let message = try ForeignMessage(draft.token(signature: try await key.signer.signRaw(draft.toBeSigned)))
        let isSigned = try message.isSigned(by: key.signer.publicKey)
        #expect(isSigned)
        #expect(Array(message.payload) == [0x08, 0x01])
        let header = try diagnostic(message.protected)
        #expect(
            header == "{1: -7, 3: \"application/protobuf\", 4: h'\(Hex.encode(key.identifier))', "
                + "15: {1: \"\(Sample.issuer)\", 3: \"\(Sample.audience)\", 4: 1790000300, 6: 1790000000, "
                + "7: h'\(Hex.encode(draft.identifier))', 10: h'\(Hex.encode(Sample.nonce))', "
                + "\"assay\": {\"limits\": [\"relay_not_excluded\", \"attested_at_registration\"]}}, "
                + "16: \"application/assay-verdict+cose\"}")
    }

    @Test("A result of a simulated device says so, in every shape", arguments: ResultShape.allCases)
    func simulated(_ shape: ResultShape) async throws {
        let key = try Sample.key(simulated: true)
        let token = try await Sample.token(shape, by: key)
        if shape.isBinary {
            let message = try ForeignMessage(token)
            let text = try diagnostic(message.protected)
            let isInHeader = text.contains("\"simulated\": true")
            let content =
                shape == .earCWT ? try diagnostic(CBORReader.parse(message.payload, code: .malformedToken, depth: 9)) : ""
            #expect(isInHeader || content.contains("\"simulated\": true"))
        } else {
            let claims = try canonical(try ForeignJWS(token).claims)
            #expect(claims.contains("\"simulated\":true"))
        }
    }

    @Test("Absent facts are absent claims")
    func absent() async throws {
        var facts = try Sample.facts()
        (facts.device, facts.payloadHash, facts.challenge, facts.confidence, facts.limits) = (nil, nil, [], nil, [])
        let (jws, _) = try await read(.earJWT, facts, nonce: [])
        #expect(jws.claims["eat_nonce"] == nil && jws.claims["status"] == nil)
        let submodules = try found(jws.claims["submods"] as? [String: Any], "submods")
        let appraisal = try found(submodules["device"] as? [String: Any], "device")
        #expect(appraisal["eat_nonce"] == nil)
        let own = try found(appraisal["ear_verifier_claims"] as? [String: Any], "ear_verifier_claims")
        #expect(Set(own.keys) == ["app", "limits", "purpose", "assurance", "request_id"])
    }

    @Test("A device is named as the rule says", arguments: ResultRule.DeviceNaming.allCases)
    func naming(_ naming: ResultRule.DeviceNaming) async throws {
        let request = ResultRequest(shape: .session, audience: Sample.audience)
        let draft = try Sample.composer(naming).draft(request, Sample.facts(), under: key, at: Sample.now)
        let jws = try ForeignJWS(draft.token(signature: try await key.signer.signRaw(draft.toBeSigned)))
        let name = jws.claims["sub"] as? String
        switch naming {
        case .pairwise: #expect(name == device)
        case .global: #expect(name == "dev_000102030405060708090a0b0c0d0e0f")
        case .none: #expect(name == nil)
        }
    }

    @Test("What holds a key is told by assurance, and not where no hardware is known")
    func keyStorage() async throws {
        let expected: [(Assurance, [String]?)] = [
            (.secureElement, ["iso_18045_high"]), (.hardware, ["iso_18045_enhanced-basic"]), (.software, ["iso_18045_basic"]),
            (.platform, nil),
        ]
        for (assurance, storage) in expected {
            var facts = try Sample.facts()
            facts.assurance = assurance
            let (jws, _) = try await read(.keyAttestation, facts)
            #expect(jws.claims["key_storage"] as? [String] == storage)
        }
    }

    @Test("Texts of the configuration are escaped where they stand")
    func escapes() async throws {
        let audience = "https://a.example/\"\\\u{1}é"
        var rule = Sample.rule()
        rule.audiences = [audience]
        let composer = ResultComposer(rule, secret: Sample.secret)
        let draft = try composer.draft(
            ResultRequest(shape: .earJWT, audience: audience), Sample.facts(), under: key, at: Sample.now)
        let jws = try ForeignJWS(draft.token(signature: try await key.signer.signRaw(draft.toBeSigned)))
        #expect(jws.claims["aud"] as? String == audience)
    }
}
