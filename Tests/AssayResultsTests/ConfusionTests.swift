import AssayCore
import AssayEncoding
import AssaySigning
import Crypto
import Testing

@testable import AssayResults

/// Tokens that are made to be taken for something else.
@Suite("Confusions of results")
struct ConfusionTests {
    private let signer: FileSigner
    private let key: ResultKey
    private let reader: ResultReader

    init() throws {
        signer = FileSigner(SigningKey.random(.p256))
        key = try found(
            ResultKey(
                signer, issuer: ResultIssuer(.devices, address: Sample.issuer),
                certificates: [Sample.certificate(of: signer.publicKey)]), "a key")
        reader = ResultReader(keys: try Sample.keySet(key))
    }

    private func fault(_ token: [UInt8], _ shape: ResultShape, by reader: ResultReader? = nil) -> ResultFault? {
        do throws(ResultFault) {
            _ = try (reader ?? self.reader).read(token, expecting: Sample.expectation(shape))
            return nil
        } catch {
            return error
        }
    }

    private func expect(
        _ token: [UInt8], _ shape: ResultShape, _ code: ResultFault.Code, _ place: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let fault = fault(token, shape)
        #expect(fault?.code == code && fault?.place == place, "\(fault?.description ?? "accepted")", sourceLocation: location)
    }

    /// The claims of a good EAR under another header, signed by `sign`.
    private func token(
        _ header: String, _ shape: ResultShape = .earJWT, sign: (([UInt8]) async throws -> [UInt8])? = nil
    ) async throws -> [UInt8] {
        let parts = String(decoding: try Sample.draft(shape, by: key).toBeSigned, as: UTF8.self).split(separator: ".")
        let input = Array((Base64.url.encode(Array(header.utf8)) + "." + parts[1]).utf8)
        let sign = sign ?? { bytes in try await self.signer.signRaw(bytes) }
        let signature = try await sign(input)
        return input + [UInt8(ascii: ".")] + Array(Base64.url.encode(signature).utf8)
    }

    private var kid: String { Base64.url.encode(key.identifier) }

    @Test("The header that these tests change is good as it is")
    func good() async throws {
        let token = try await token("{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\"}")
        #expect(fault(token, .earJWT) == nil)
    }

    @Test("Unsigned tokens are refused, whatever the spelling of none", arguments: ["none", "None", "NONE", "nOnE", ""])
    func unsigned(_ algorithm: String) async throws {
        let header = "{\"alg\":\"\(algorithm)\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\"}"
        expect(try await token(header) { _ in [] }, .earJWT, .wrongAlgorithm, "header.alg")
        expect(try await token(header), .earJWT, .wrongAlgorithm, "header.alg")
    }

    @Test("An HMAC under the public key, in any of its forms, is no signature", arguments: ["HS256", "HS384", "ES256"])
    func symmetric(_ algorithm: String) async throws {
        let header = "{\"alg\":\"\(algorithm)\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\"}"
        for secret in [signer.publicKey, key.webKey.text, key.webKey.coordinates, [4] + key.webKey.coordinates] {
            let token = try await token(header) { input in
                Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: secret)))
            }
            let fault = fault(token, .earJWT)
            #expect(fault?.code == (algorithm == "ES256" ? .badSignature : .wrongAlgorithm))
        }
    }

    @Test(
        "No shape of text is taken unsigned, under an HMAC with the public key, or with a header that is critical, once or twice",
        arguments: ResultShape.allCases.filter { !$0.isBinary })
    func everyShape(_ shape: ResultShape) async throws {
        let mark =
            shape.hasCertificates ? "\"x5c\":[\"\(Base64.standard.encode(key.certificates[0]))\"]" : "\"kid\":\"\(kid)\""
        func header(_ algorithm: String, _ more: String = "") -> String {
            "{\"alg\":\"\(algorithm)\",\(mark),\"typ\":\"\(ResultProfiles.type(of: shape))\"\(more)}"
        }
        #expect(fault(try await token(header("ES256"), shape), shape) == nil)
        for algorithm in ["none", "HS256", "HS512", "ES384"] {
            expect(try await token(header(algorithm), shape) { _ in [] }, shape, .wrongAlgorithm, "header.alg")
            expect(try await token(header(algorithm), shape), shape, .wrongAlgorithm, "header.alg")
            for secret in [signer.publicKey, key.webKey.text] {
                let forged = try await token(header(algorithm), shape) { input in
                    Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: secret)))
                }
                expect(forged, shape, .wrongAlgorithm, "header.alg")
            }
        }
        expect(
            try await token(header("ES256", ",\"crit\":[\"exp\"],\"exp\":1"), shape), shape, .unknownHeader, "header.crit")
        expect(
            try await token(header("ES256", ",\"crit\":[\"a\"],\"crit\":[\"b\"]"), shape), shape, .malformed, "token")
        // Another key under this one's name.
        let other = FileSigner(SigningKey.random(.p256))
        let forged = try await token(header("ES256"), shape) { input in try await other.signRaw(input) }
        expect(forged, shape, .badSignature, "signature")
    }

    @Test(
        "No shape of COSE is taken under another algorithm or a MAC's, without one, or with a critical header",
        arguments: ResultShape.allCases.filter(\.isBinary))
    func everyMessage(_ shape: ResultShape) async throws {
        let message = try ForeignMessage(try await Sample.token(shape, by: key))
        let content = Array(message.payload)
        var members: [(key: Int64, value: [UInt8])] = []
        try message.protected.pairs("a header") { name, value throws(Rejection) in
            members.append((name.integer ?? 0, Array(value.encoded)))
        }
        func token(
            _ change: (inout [(key: Int64, value: [UInt8])]) -> Void, by other: FileSigner? = nil
        ) async throws -> [UInt8] {
            var changed = members
            change(&changed)
            let writer = COSEWriter(protected: changed)
            return writer.message(content, signature: try await (other ?? signer).signRaw(writer.toBeSigned(content)))
        }
        #expect(fault(try await token({ _ in }), shape) == nil)
        for algorithm in [Int64(0), 4, 5, -8, -35, -37] {
            let forged = try await token({ members in
                members = members.map { $0.key == 1 ? (key: 1, value: CBORWriter.integer(algorithm)) : $0 }
            })
            expect(forged, shape, .wrongAlgorithm, "header.alg")
        }
        #expect(fault(try await token({ $0.removeAll { $0.key == 1 } }), shape) != nil)
        let critical = try await token({ $0.append((2, CBORWriter.array([CBORWriter.integer(1)]))) })
        expect(critical, shape, .unknownHeader, "header.2")
        expect(
            try await token({ _ in }, by: FileSigner(SigningKey.random(.p256))), shape, .badSignature, "signature")
    }

    @Test("Another algorithm of the same family is refused, and so are names that differ in case")
    func algorithms() async throws {
        for algorithm in ["ES384", "ES512", "es256", "ES256 ", "ES256K", "PS256", "RS256", "EdDSA"] {
            expect(
                try await token("{\"alg\":\"\(algorithm)\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\"}"), .earJWT, .wrongAlgorithm,
                "header.alg")
        }
    }

    @Test("A key of another issuer is not known, under its own identifier or under ours")
    func otherIssuer() async throws {
        let other = FileSigner(SigningKey.random(.p256))
        let otherKey = try found(
            ResultKey(
                other, issuer: ResultIssuer(.devices, address: Sample.issuer),
                certificates: [Sample.certificate(of: other.publicKey)]), "a key")
        for shape in ResultShape.allCases {
            let fault = fault(try await Sample.token(shape, by: otherKey), shape)
            #expect(fault?.code == .unknownKey, "\(shape.rawValue)")
            #expect(fault?.place == (shape.hasCertificates ? "header.x5c" : "header.kid"))
        }
        let forged = try await token("{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\"}") { input in
            try await other.signRaw(input)
        }
        expect(forged, .earJWT, .badSignature, "signature")
        // Our certificate, their signature.
        let chain = Base64.standard.encode(key.certificates[0])
        let wallet = try await token(
            "{\"alg\":\"ES256\",\"x5c\":[\"\(chain)\"],\"typ\":\"oauth-client-attestation+jwt\"}", .walletInstance
        ) { input in try await other.signRaw(input) }
        expect(wallet, .walletInstance, .badSignature, "signature")
    }

    @Test("A header is refused for any member that it does not have to have")
    func headers() async throws {
        let key = String(decoding: key.webKey.text, as: UTF8.self)
        let members = [
            ("crit", "[\"exp\"],\"exp\":1"), ("crit", "[]"), ("jwk", key), ("jku", "\"https://evil.example\""),
            ("x5u", "\"https://evil.example\""), ("b64", "false"), ("zip", "\"DEF\""), ("cty", "\"JWT\""),
            ("enc", "\"A256GCM\""),
            ("x5c", "[\"AAAA\"]"), ("iss", "\"a\""),
        ]
        for (name, value) in members {
            let header = "{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\",\"\(name)\":\(value)}"
            expect(try await token(header), .earJWT, .unknownHeader, "header.\(name)")
        }
        // Two of one name are no JSON object.
        for twice in ["\"crit\":[\"a\"],\"crit\":[\"b\"]", "\"alg\":\"ES256\"", "\"kid\":\"\(kid)\""] {
            expect(
                try await token("{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\",\(twice)}"), .earJWT, .malformed,
                "token")
        }
    }

    @Test("A critical header of COSE is refused")
    func criticalOfCOSE() async throws {
        let payload = try ForeignMessage(try await Sample.token(.earCWT, by: key)).payload
        let common: [(key: Int64, value: [UInt8])] = [
            (1, CBORWriter.integer(-7)), (4, CBORWriter.bytes(key.identifier)), (16, CBORWriter.text("application/eat+cwt")),
        ]
        func message(_ more: [(key: Int64, value: [UInt8])], _ unprotected: [(key: Int64, value: [UInt8])]) async throws
            -> [UInt8]
        {
            let writer = COSEWriter(protected: common + more, unprotected: unprotected)
            let content = Array(payload)
            return writer.message(content, signature: try await signer.signRaw(writer.toBeSigned(content)))
        }
        #expect(fault(try await message([], []), .earCWT) == nil)
        expect(
            try await message([(2, CBORWriter.array([CBORWriter.integer(99)])), (99, CBORWriter.integer(1))], []), .earCWT,
            .unknownHeader, "header.2")
        expect(try await message([], [(4, CBORWriter.bytes([1]))]), .earCWT, .malformed, "token")
        expect(try await message([], [(2, CBORWriter.array([CBORWriter.integer(1)]))]), .earCWT, .malformed, "token")
    }

    @Test("Algorithms of COSE are those of the key: no other signature, and no MAC")
    func algorithmsOfCOSE() async throws {
        let content = Array(try ForeignMessage(try await Sample.token(.earCWT, by: key)).payload)
        for algorithm in [Int64(0), -8, -35, -36, 5, 4, -37, -257] {
            let writer = COSEWriter(protected: [
                (1, CBORWriter.integer(algorithm)), (4, CBORWriter.bytes(key.identifier)),
                (16, CBORWriter.text("application/eat+cwt")),
            ])
            let signature = try await signer.signRaw(writer.toBeSigned(content))
            expect(writer.message(content, signature: signature), .earCWT, .wrongAlgorithm, "header.alg")
        }
    }

    @Test("A signature over a Sig_structure is none over a compact JWS with the same bytes, nor the reverse")
    func structures() async throws {
        let jose = try await Sample.token(.earJWT, by: key)
        let cose = try await Sample.token(.earCWT, by: key)
        #expect(fault(cose, .earJWT)?.code == .malformed)
        #expect(fault(jose, .earCWT)?.code == .malformed)
        // The text of a JWT as the content of a COSE message, and a COSE message in the parts of a JWS.
        let wrapped = COSEWriter(protected: [
            (1, CBORWriter.integer(-7)), (4, CBORWriter.bytes(key.identifier)),
            (16, CBORWriter.text("application/eat+cwt")),
        ])
        let message = wrapped.message(jose, signature: try await signer.signRaw(wrapped.toBeSigned(jose)))
        expect(message, .earCWT, .malformed, "claims")
        let header = Base64.url.encode(Array("{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\"}".utf8))
        let input = Array((header + "." + Base64.url.encode(cose)).utf8)
        let text = input + [UInt8(ascii: ".")] + Array(Base64.url.encode(try await signer.signRaw(input)).utf8)
        expect(text, .earJWT, .malformed, "claims")
        // Without its tag a message does not say what it is.
        #expect(fault(Array(cose.dropFirst()), .earCWT)?.code == .malformed)
    }

    @Test("No shape is taken for another one", arguments: ResultShape.allCases)
    func shapes(_ shape: ResultShape) async throws {
        let token = try await Sample.token(shape, by: key)
        for other in ResultShape.allCases {
            let fault = fault(token, other)
            if other == shape {
                #expect(fault == nil, "\(fault?.description ?? "")")
            } else {
                #expect(fault != nil, "\(shape.rawValue) passed for \(other.rawValue)")
            }
        }
    }

    @Test("A session token under the type of an EAR is none, though the key signed it")
    func retyped() async throws {
        let session = try await token("{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"eat+jwt\"}", .session)
        expect(session, .earJWT, .wrongClaim, "eat_profile")
        let result = try await token("{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"assay-session+jwt\"}", .earJWT)
        expect(result, .session, .wrongClaim, "cnf")
        let client = try await token(
            "{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"oauth-client-attestation+jwt\"}", .walletInstance)
        #expect(fault(client, .walletInstance)?.place == "header.x5c" || fault(client, .walletInstance)?.code == .unknownHeader)
    }

    @Test("Types are compared exactly")
    func types() async throws {
        for type in ["EAT+JWT", "application/eat+jwt", "eat-jwt", "eat+jwt ", "JWT", ""] {
            expect(
                try await token("{\"alg\":\"ES256\",\"kid\":\"\(kid)\",\"typ\":\"\(type)\"}"), .earJWT, .wrongType, "header.typ"
            )
        }
        expect(try await token("{\"alg\":\"ES256\",\"kid\":\"\(kid)\"}"), .earJWT, .wrongType, "header.typ")
    }

    @Test("The older type of a key attestation is read, and the usual one is written")
    func olderType() async throws {
        let chain = Base64.standard.encode(key.certificates[0])
        let token = try await token(
            "{\"alg\":\"ES256\",\"x5c\":[\"\(chain)\"],\"typ\":\"keyattestation+jwt\"}", .keyAttestation)
        #expect(fault(token, .keyAttestation) == nil)
        #expect(try ResultReader.statedShape(of: token) == .keyAttestation)
    }

    @Test("An audience that is a list, also one of the expected text, is another audience")
    func audiences() async throws {
        for value in ["[\"\(Sample.audience)\"]", "[\"\(Sample.audience)\",\"https://evil.example\"]", "null", "1"] {
            let parts = String(decoding: try Sample.draft(.session, by: key).toBeSigned, as: UTF8.self).split(separator: ".")
            let claims = String(decoding: try found(Base64.url.decode(parts[1]), "claims"), as: UTF8.self)
            let changed = claims.replacing("\"aud\":\"\(Sample.audience)\"", with: "\"aud\":\(value)")
            #expect(changed != claims)
            let input = Array((parts[0] + "." + Base64.url.encode(Array(changed.utf8))).utf8)
            let token = input + [UInt8(ascii: ".")] + Array(Base64.url.encode(try await signer.signRaw(input)).utf8)
            expect(token, .session, .malformed, "aud")
        }
    }
}
