import AssayCore
import AssayEncoding
import AssaySigning
import Crypto
import Testing

@Suite("Signatures")
struct SignatureTests {
    private let message = Array("message".utf8)

    @Test(
        "A signature verifies under the public key, in its own form and as JOSE and COSE have it",
        arguments: SigningAlgorithm.allCases)
    func verified(_ algorithm: SigningAlgorithm) async throws {
        let signer = FileSigner(SigningKey.random(algorithm))
        for _ in 0..<20 {
            let der = try await signer.sign(message)
            #expect(try verifies(der, message, signer.publicKey, algorithm))
            let raw = try #require(algorithm.rawSignature(der))
            #expect(raw.count == 2 * algorithm.width)
            #expect(try verifies(raw, message, signer.publicKey, algorithm, isRaw: true))
            #expect(try !verifies(raw, message + [0], signer.publicKey, algorithm, isRaw: true))
            let direct = try await signer.signRaw(message)
            #expect(direct.count == raw.count)
            #expect(try verifies(direct, message, signer.publicKey, algorithm, isRaw: true))
            let expected =
                switch algorithm {
                case .p256: Array(try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
                case .ed25519: der
                case .p384: Array(try P384.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
                }
            #expect(raw == expected)
        }
    }

    @Test("A signature has the DER that the library writes, also where a number has leading zeros", arguments: ecdsa)
    func der(_ algorithm: SigningAlgorithm) async throws {
        let signer = FileSigner(SigningKey.random(algorithm))
        var lengths: Set<Int> = []
        for number in 0..<600 {
            let der = try await signer.sign(message + [UInt8(number & 0xFF)])
            let expected =
                algorithm == .p256
                ? try P256.Signing.ECDSASignature(derRepresentation: der).derRepresentation
                : try P384.Signing.ECDSASignature(derRepresentation: der).derRepresentation
            #expect(der == Array(expected))
            lengths.insert(der.count)
        }
        #expect(lengths.count > 2)
    }

    /// Those whose signatures are numbers.
    private static let ecdsa = [SigningAlgorithm.p256, .p384]

    @Test("Numbers of any length are as wide as the curve's coordinates", arguments: ecdsa)
    func widths(_ algorithm: SigningAlgorithm) {
        for count in 1...algorithm.width {
            for first: UInt8 in [0x01, 0x7F, 0x80, 0xFF] {
                let number = [first] + [UInt8](repeating: 0xA5, count: count - 1)
                let der = DERWriter.sequence([DERWriter.integer(unsigned: number), DERWriter.integer(5)])
                let zeros = [UInt8](repeating: 0, count: algorithm.width - count)
                let five = [UInt8](repeating: 0, count: algorithm.width - 1) + [5]
                #expect(algorithm.rawSignature(der) == zeros + number + five)
            }
        }
    }

    @Test("Bytes that are no signature of the curve have no raw form", arguments: ecdsa)
    func refused(_ algorithm: SigningAlgorithm) {
        let number = DERWriter.integer(unsigned: [UInt8](repeating: 0xA5, count: algorithm.width))
        let good = DERWriter.sequence([number, number])
        #expect(algorithm.rawSignature(good) != nil)
        for count in good.indices { #expect(algorithm.rawSignature(Array(good[..<count])) == nil) }
        let wide = DERWriter.integer(unsigned: [UInt8](repeating: 0xA5, count: algorithm.width + 1))
        let bad: [[UInt8]] = [
            good + [0], DERWriter.sequence([number]), DERWriter.sequence([number, number, number]),
            DERWriter.sequence([number, wide]), DERWriter.sequence([wide, number]),
            // -1, an integer without content, and 5 in two octets.
            DERWriter.sequence([number, [0x02, 1, 0xFF]]), DERWriter.sequence([number, [0x02, 0]]),
            DERWriter.sequence([number, [0x02, 2, 0, 5]]), DERWriter.sequence([number, DERWriter.octetString([5])]),
        ]
        for der in bad { #expect(algorithm.rawSignature(der) == nil, "\(Hex.encode(der))") }
    }

    @Test("Ed25519 has signatures of 64 bytes, which are raw already, and no others")
    func edwards() async throws {
        let signature = try await FileSigner(SigningKey.random(.ed25519)).sign(message)
        #expect(signature.count == 64 && SigningAlgorithm.ed25519.rawSignature(signature) == signature)
        #expect(SigningAlgorithm.ed25519.rawSignature(Array(signature.dropLast())) == nil)
        #expect(SigningAlgorithm.ed25519.rawSignature(signature + [0]) == nil)
        #expect(SigningAlgorithm.p256.rawSignature(signature) == nil)
    }

    @Test("A signer whose signatures are not those of its algorithm gives no raw one")
    func garbage() async {
        struct Garbage: Signer {
            let publicKey: [UInt8] = []
            let algorithm = SigningAlgorithm.p256
            let problem: String? = nil
            func sign(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] { [1, 2, 3] }
        }
        await #expect(throws: SigningError.self) { try await Garbage().signRaw(message) }
    }

    @Test("The algorithms have their names of JOSE and COSE")
    func names() {
        #expect(SigningAlgorithm.ed25519.joseName == "EdDSA" && SigningAlgorithm.ed25519.coseIdentifier == -8)
        #expect(SigningAlgorithm.p256.joseName == "ES256" && SigningAlgorithm.p256.coseIdentifier == -7)
        #expect(SigningAlgorithm.p384.joseName == "ES384" && SigningAlgorithm.p384.coseIdentifier == -35)
    }

    @Test("A token of JOSE that a key signs is read, and its signature verifies", arguments: SigningAlgorithm.allCases)
    func jose(_ algorithm: SigningAlgorithm) async throws {
        let signer = FileSigner(SigningKey.random(algorithm))
        let alg = JSONObject.Member(name: Array("alg".utf8), value: .string(Array(algorithm.joseName.utf8)))
        let input = JOSEWriter(header: JSONObject([alg])).signingInput(message)
        let signature = try #require(algorithm.rawSignature(try await signer.sign(input)))
        let read = try CompactJWS(parsing: JOSEWriter.token(input, signature: signature)[...])
        #expect(read.header.algorithm == OpaqueText(algorithm.joseName))
        #expect(read.payload == message)
        #expect(try verifies(read.signature, Array(read.signedPart), signer.publicKey, algorithm, isRaw: true))
    }

    @Test("A message of COSE that a key signs is read, and its signature verifies", arguments: SigningAlgorithm.allCases)
    func cose(_ algorithm: SigningAlgorithm) async throws {
        let signer = FileSigner(SigningKey.random(algorithm))
        let writer = COSEWriter(protected: [(1, CBORWriter.integer(algorithm.coseIdentifier))])
        let signed = writer.toBeSigned(message)
        let signature = try #require(algorithm.rawSignature(try await signer.sign(signed)))
        let written = writer.message(message, signature: signature, tagged: false)
        var parts: [CBORItem] = []
        try CBORReader.parse(written[...], code: .malformedCBOR).elements("message") { parts.append($0) }
        try #require(parts.count == 4)
        // The Sig_structure, from what was read.
        let structure =
            [0x84, 0x6A] + Array("Signature1".utf8) + parts[0].encoded + [0x40] + parts[2].encoded
        #expect(structure == signed)
        #expect(try verifies(Array(parts[3].bytes("signature")), structure, signer.publicKey, algorithm, isRaw: true))
    }
}
