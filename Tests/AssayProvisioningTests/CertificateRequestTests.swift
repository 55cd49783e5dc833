import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySimulator
import AssayTesting
import Testing

@Suite("Certification requests")
struct CertificateRequestTests {
    private static func key(_ kind: TestKey.Kind, _ label: String = "device") throws -> TestKey {
        try TestKey(kind, seed: "csr", label: label)
    }

    @Test(
        "A request that OpenSSL makes gives its key, and nothing else that it asks for is used",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"),
        arguments: [
            "P-256 -subj /CN=anything/O=Other", "P-384 -sha384 -subj /CN=x", "P-256 -sha512 -subj /",
            "P-384 -sha256 -subj /CN=x",
            "P-256 -subj /CN=x -addext basicConstraints=critical,CA:TRUE -addext subjectAltName=DNS:evil.example",
        ])
    func openSSL(_ options: String) throws {
        let openSSL = try OpenSSLFolder()
        try openSSL.run(
            "req -new -newkey ec -nodes -keyout key.pem -outform DER -out csr.der -pkeyopt ec_paramgen_curve:" + options)
        try openSSL.run("pkey -in key.pem -pubout -outform DER -out public.der")
        let key = RequestedKey(
            publicKey: try openSSL.read("public.der"), curve: options.hasPrefix("P-256") ? .p256 : .p384)
        #expect(try CertificateRequest(der: try openSSL.read("csr.der")).key == key)
        #expect(try AuthoritySet([]).requestedKey(openSSL.read("csr.der")).publicKey == openSSL.read("public.der"))
    }

    @Test("Keys of other kinds are refused", arguments: [TestKey.Kind.rsa2048, .ed25519, .mlDSA65])
    func kinds(_ kind: TestKey.Kind) throws {
        let key = try Self.key(kind)
        #expect(throws: Rejection(.unsupportedKey, "")) {
            try CertificateRequest(der: try CertificateRequestDraft(key).signed(by: key))
        }
        #expect(throws: Rejection(.unsupportedKey, "")) { try AuthoritySet([]).requestedKey(bare: key.subjectPublicKeyInfo) }
    }

    @Test("A point in compressed form, or off the curve, is no key")
    func points() throws {
        let key = try Self.key(.p256)
        let point = key.publicKeyBits
        var off = point
        off[64] ^= 1
        let compressed = [0x02 | point[64] & 1] + point[1...32]
        for bits in [Array(compressed), off, Array(point.dropLast()), []] {
            let info = TestKey.subjectPublicKeyInfo(.p256, bits)
            var draft = CertificateRequestDraft(key)
            draft.subjectPublicKeyInfo = info
            #expect(throws: Rejection(.unsupportedKey, "")) { try CertificateRequest(der: try draft.signed(by: key)) }
            #expect(throws: Rejection(.unsupportedKey, "")) { try AuthoritySet([]).requestedKey(bare: info) }
        }
        #expect(throws: Rejection(.unsupportedKey, "")) { try AuthoritySet([]).requestedKey(bare: []) }
        #expect(throws: Rejection(.unsupportedKey, "")) {
            try AuthoritySet([]).requestedKey(bare: key.subjectPublicKeyInfo + [0])
        }
        #expect(try AuthoritySet([]).requestedKey(bare: key.subjectPublicKeyInfo).curve == .p256)
        #expect(try AuthoritySet([]).requestedKey(bare: Self.key(.p384).subjectPublicKeyInfo).curve == .p384)
    }

    @Test("A request that another key signed does not prove possession")
    func possession() throws {
        let (key, other) = (try Self.key(.p256), try Self.key(.p256, "other"))
        #expect(throws: Rejection(.possessionNotProven, "")) {
            try CertificateRequest(der: try CertificateRequestDraft(key).signed(by: other))
        }
        // A signature by an algorithm that is none.
        var unknown = CertificateRequestDraft(key)
        unknown.algorithm = .named(DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.1")]), .sha256)
        #expect(throws: Rejection(.possessionNotProven, "")) { try CertificateRequest(der: try unknown.signed(by: key)) }
        // SHA-256 is stated, and SHA-384 signed.
        var confused = CertificateRequestDraft(key)
        confused.algorithm = .named(CertificateBuilder.Algorithm.ecdsaWithSHA256.der, .sha384)
        #expect(throws: Rejection(.possessionNotProven, "")) { try CertificateRequest(der: try confused.signed(by: key)) }
    }

    @Test("Another form than that of RFC 2986 is malformed")
    func malformed() throws {
        let key = try Self.key(.p256)
        let good = try CertificateRequestDraft(key).signed(by: key)
        _ = try CertificateRequest(der: good)
        var version = CertificateRequestDraft(key)
        version.version = 1
        var broken = CertificateRequestDraft(key)
        broken.attributes = [[0x30, 0x00]]
        let requests = [
            try version.signed(by: key), try broken.signed(by: key), good + [0], [],
            [0x30, 0x80],
            Array(PEM.encode(good, label: "CERTIFICATE REQUEST").utf8),
            [UInt8](repeating: 0x30, count: CertificateRequest.sizeLimit), [UInt8](repeating: 0x30, count: 1 << 20),
        ]
        for request in requests {
            #expect(throws: Rejection(.malformedCSR, "")) { try CertificateRequest(der: request) }
        }
    }

    /// An attribute with a value of each kind.
    private static func attribute(_ type: String, _ value: [UInt8]) -> [UInt8] {
        DERWriter.sequence([DERWriter.objectIdentifier(type), DERWriter.set([value])])
    }

    @Test("Requests as embedded devices write them give their key, and say what is odd")
    func quirks() throws {
        for kind in [TestKey.Kind.p256, .p384] {
            let key = try Self.key(kind)
            func quirks(_ change: (inout CertificateRequestDraft) -> Void) throws -> [RequestedKey.Quirk] {
                var draft = CertificateRequestDraft(key)
                change(&draft)
                let request = try CertificateRequest(der: try draft.signed(by: key))
                #expect(request.key.publicKey == key.subjectPublicKeyInfo)
                return request.key.quirks
            }
            #expect(try quirks { _ in } == [])
            // BouncyCastle and many secure elements leave the field out.
            #expect(try quirks { $0.attributes = nil } == [.withoutAttributes])
            // Clients of SCEP put the extension request before the shorter challengePassword.
            let password = Self.attribute("1.2.840.113549.1.9.7", [0x13, 0x03] + Array("abc".utf8))
            let asked = CertificateRequestDraft.extensionRequest([.basicConstraints(ca: true), .keyUsage(.keyCertSign)])
            #expect(try quirks { $0.attributes = [asked, password].sorted { $0.lexicographicallyPrecedes($1) } } == [])
            #expect(
                try quirks { $0.attributes = [asked, password].sorted { $1.lexicographicallyPrecedes($0) } }
                    == [.attributesNotSorted])
            let null = { (oid: String) in DERWriter.sequence([DERWriter.objectIdentifier(oid), DERWriter.null]) }
            #expect(
                try quirks { $0.algorithm = .named(null("1.2.840.10045.4.3.2"), .sha256) } == [.ecdsaWithNull])
            #expect(
                try quirks {
                    $0.algorithm = .named(null("1.2.840.10045.4.3.3"), .sha384)
                    $0.attributes = nil
                } == [.withoutAttributes, .ecdsaWithNull])
        }
    }

    @Test("What is wrong with a request is said with the field and what stands there")
    func words() throws {
        let (key, other) = (try Self.key(.p256), try Self.key(.p256, "other"))
        func detail(_ change: (inout CertificateRequestDraft) -> Void, by signer: TestKey? = nil) throws -> String {
            var draft = CertificateRequestDraft(key)
            change(&draft)
            return try Self.detail(try draft.signed(by: signer ?? key))
        }
        #expect(try detail { $0.version = 1 } == "the version field has the value 1, want 0, which stands for version 1")
        #expect(try detail { $0.attributes = [[0x30, 0x00]] }.hasPrefix("an attribute: "))
        #expect(try detail { $0.attributes = [[0x04, 0x01, 0x00]] }.hasPrefix("an attribute: "))
        #expect(try detail { $0.subjectPublicKeyInfo = [0x05, 0x00] }.hasPrefix("the public key: "))
        #expect(try detail({ _ in }, by: other) == "the request is not signed by the key in it")
        let unknown = DERWriter.sequence([DERWriter.objectIdentifier("1.2.3")])
        #expect(
            try detail { $0.algorithm = .named(unknown, .sha256) }
                == "the request's signature algorithm 1.2.3 is not supported, or has parameters")
        let signed = CertificateRequestDraft(key).toBeSigned
        let algorithm = CertificateBuilder.Algorithm.ecdsaWithSHA256.der
        let raw = DERWriter.sequence([signed, algorithm, DERWriter.bitString([UInt8](repeating: 0x42, count: 64))])
        #expect(
            try Self.detail(raw)
                == "the request's signature is not an ECDSA signature in DER: 64 bytes, as r and s without DER have")
        #expect(try Self.detail(DERWriter.sequence([signed, algorithm])).hasPrefix("the signature: "))
        #expect(try Self.detail(DERWriter.sequence([signed])).hasPrefix("the signature's algorithm: "))
        let text = PEM.encode(try CertificateRequestDraft(key).signed(by: key), label: "CERTIFICATE REQUEST")
        #expect(try Self.detail(Array(text.utf8)) == "PEM text where the request's DER is due")
    }

    private static func detail(_ request: [UInt8]) throws -> String {
        do throws(Rejection) {
            _ = try CertificateRequest(der: request)
            return "accepted"
        } catch { return error.detail }
    }

    @Test("A request of more than 16 KiB is refused, and one of 16 KiB is read")
    func size() throws {
        let key = try Self.key(.p256)
        func request(_ count: Int) throws -> [UInt8] {
            var draft = CertificateRequestDraft(key)
            draft.attributes = [
                DERWriter.sequence([
                    DERWriter.objectIdentifier("1.2.3"),
                    DERWriter.set([DERWriter.octetString([UInt8](repeating: 1, count: count))]),
                ])
            ]
            return try draft.signed(by: key)
        }
        #expect(try CertificateRequest(der: try request(16_000)).key.publicKey == key.subjectPublicKeyInfo)
        #expect(throws: Rejection(.malformedCSR, "")) { try CertificateRequest(der: try request(16_384)) }
    }

    @Test("Every strict prefix of a good request is refused", arguments: [TestKey.Kind.p256, .p384])
    func prefixes(_ kind: TestKey.Kind) throws {
        let key = try Self.key(kind)
        let good = try CertificateRequestDraft(key).signed(by: key)
        for length in good.indices {
            #expect(throws: Rejection(.malformedCSR, "")) { try CertificateRequest(der: Array(good[..<length])) }
        }
    }

    @Test("Every changed byte of a good request is refused, or gives the same key", arguments: [TestKey.Kind.p256, .p384])
    func changes(_ kind: TestKey.Kind) throws {
        let key = try Self.key(kind)
        var draft = CertificateRequestDraft(key)
        draft.attributes = [CertificateRequestDraft.extensionRequest([.basicConstraints(ca: true), .keyUsage(.keyCertSign)])]
        let good = try draft.signed(by: key)
        #expect(try CertificateRequest(der: good).key.publicKey == key.subjectPublicKeyInfo)
        var numbers = SeededNumbers(seed: 10)
        let documented: Set<FailureCode> = [
            FailureCode(.malformedCSR), FailureCode(.unsupportedKey), FailureCode(.possessionNotProven),
        ]
        for index in good.indices {
            for value in [good[index] ^ 1, good[index] ^ 0x80, UInt8.random(in: 0...255, using: &numbers)]
            where value != good[index] {
                var changed = good
                changed[index] = value
                do throws(Rejection) {
                    #expect(try CertificateRequest(der: changed).key.publicKey == key.subjectPublicKeyInfo, "byte \(index)")
                } catch {
                    #expect(documented.contains(error.code), "byte \(index): \(error)")
                }
            }
        }
    }
}
