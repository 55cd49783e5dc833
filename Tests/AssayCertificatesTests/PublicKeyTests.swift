import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto
import Testing

@Suite("Public keys and signatures")
struct PublicKeyTests {
    /// A SubjectPublicKeyInfo whose algorithm alone matters.
    private func info(_ algorithm: OID, curve: OID? = nil, _ key: [UInt8] = [1]) throws -> SubjectPublicKeyInfo {
        let identifier = SampleDER.sequence(SampleDER.oid(algorithm), curve.map(SampleDER.oid) ?? [])
        return try SubjectPublicKeyInfo(der: SampleDER.sequence(identifier, SampleDER.bitString(key))[...])
    }

    @Test("Other keys that devices attest are recognised, and cannot verify signatures")
    func recognised() throws {
        let ec = OID(1, 2, 840, 10045, 2, 1)
        let kinds: [(SubjectPublicKeyInfo, SubjectPublicKeyInfo.Algorithm)] = [
            (try info(OID(1, 3, 101, 112)), .ed25519), (try info(OID(1, 3, 101, 110)), .x25519),
            (try info(OID(2, 16, 840, 1, 101, 3, 4, 3, 18)), .mlDSA65),
            (try info(OID(2, 16, 840, 1, 101, 3, 4, 3, 19)), .mlDSA87),
            (try info(ec, curve: OID(1, 3, 132, 0, 33)), .p224),
            (try info(ec, curve: OID(1, 3, 132, 0, 10)), .unsupported(OID(1, 3, 132, 0, 10))),
            (try info(OID(1, 2, 3)), .unsupported(OID(1, 2, 3))), (try info(OID(1, 2, 840, 113_549, 1, 1, 1)), .rsa),
            (try info(ec, curve: OID(1, 3, 132, 0, 35)), .p521),
        ]
        for (info, algorithm) in kinds {
            #expect(info.algorithm == algorithm)
            #expect(throws: Rejection(.unsupportedKey, "")) { try PublicKey(info) }
        }
    }

    @Test("P-521 verifies with each hash")
    func p521() throws {
        let key = P521.Signing.PrivateKey()
        let publicKey = try PublicKey(try SubjectPublicKeyInfo(der: Array(key.publicKey.derRepresentation)[...]))
        let message = Array("message".utf8)
        let signature = Array(try key.signature(for: SHA256.hash(data: message)).derRepresentation)
        try publicKey.verify(signature[...], by: .ecdsaWithSHA256, over: message[...])
        for wrong in [SignatureAlgorithm.ecdsaWithSHA512, .rsaWithSHA256] {
            #expect(throws: Rejection(.badSignature, "")) {
                try publicKey.verify(signature[...], by: wrong, over: message[...])
            }
        }
    }

    @Test("Points that are compressed, cut, at infinity or off the curve are refused")
    func points() throws {
        let key = P256.Signing.PrivateKey().publicKey
        func info(_ point: [UInt8], _ curve: OID = OID(1, 2, 840, 10045, 3, 1, 7)) throws -> SubjectPublicKeyInfo {
            let algorithm = SampleDER.sequence(SampleDER.oid(OID(1, 2, 840, 10045, 2, 1)), SampleDER.oid(curve))
            return try SubjectPublicKeyInfo(der: SampleDER.sequence(algorithm, SampleDER.bitString(point))[...])
        }
        let point = Array(key.x963Representation)
        _ = try PublicKey(try info(point))
        var off = point
        off[64] ^= 1
        for bad in [Array(key.compressedRepresentation), Array(point.dropLast()), point + [0], off, [0], []] {
            #expect(throws: Rejection(.unsupportedKey, "")) { try PublicKey(try info(bad)) }
        }
        #expect(throws: Rejection(.unsupportedKey, "")) { try PublicKey(try info(point, OID(1, 3, 132, 0, 34))) }
    }

    @Test("Signatures are verified with the algorithm's hash and the key's curve", arguments: [false, true])
    func verifies(_ sha384: Bool) throws {
        let message = Array("message".utf8)
        for key in [TestKey.p256(), .p384()] {
            let publicKey = try PublicKey(try SubjectPublicKeyInfo(der: key.info[...]))
            let signature = try key.sign(message, sha384: sha384)
            let (right, wrong): (SignatureAlgorithm, SignatureAlgorithm) =
                sha384 ? (.ecdsaWithSHA384, .ecdsaWithSHA256) : (.ecdsaWithSHA256, .ecdsaWithSHA384)
            try publicKey.verify(signature[...], by: right, over: message[...])
            #expect(throws: Rejection(.badSignature, "")) {
                try publicKey.verify(signature[...], by: wrong, over: message[...])
            }
            #expect(throws: Rejection(.badSignature, "")) { try publicKey.verify(signature[...], by: right, over: [1]) }
            #expect(throws: Rejection(.unsupportedAlgorithm, "")) {
                try publicKey.verify(signature[...], by: .unsupported(.keyUsage), over: message[...])
            }
        }
    }

    @Test("Signatures are accepted only as strict DER of two positive numbers")
    func signatures() throws {
        let one = SampleDER.integer([1])
        func signature(_ der: [UInt8]) throws(Rejection) -> [UInt8] { try ECDSASignature(der: der[...], width: 32).raw }
        let raw = try signature(SampleDER.sequence(one, SampleDER.integer([0] + [UInt8](repeating: 0xFF, count: 32))))
        #expect(raw == [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0xFF, count: 32))
        let bad: [[UInt8]] = [
            [], [UInt8](repeating: 1, count: 64), SampleDER.sequence(one), SampleDER.sequence(one, one, one),
            SampleDER.sequence(one, one) + [0], SampleDER.sequence(SampleDER.integer([0]), one),
            SampleDER.sequence(one, SampleDER.integer([0])), SampleDER.sequence(SampleDER.integer([0x80]), one),
            SampleDER.sequence(SampleDER.integer([0, 1]), one), SampleDER.sequence(SampleDER.integer([]), one),
            SampleDER.sequence(SampleDER.integer([1] + [UInt8](repeating: 0, count: 32)), one),
            SampleDER.sequence(one, SampleDER.octetString([1])), [0x30, 0x80] + one + one + [0, 0],
            [0x30, 0x81, 0x06] + one + one,
        ]
        for der in bad { #expect(throws: Rejection(.badSignature, "")) { try signature(der) } }
    }
}
