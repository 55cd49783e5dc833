import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto
import Testing

/// Options of a profile beyond or below RFC 5280, such as Android's.
@Suite("Options of a chain's profile")
struct ChainOptionTests {
    static let now = ChainValidatorTests.now

    /// No flags, no dates, any leaf.
    static let loose = ChainProfile(
        lengths: 2...4, signatureAlgorithms: [.ecdsaWithSHA256, .ecdsaWithSHA384, .rsaWithSHA256, .rsaWithSHA384],
        leafKeys: nil, authorityKeys: [.p256, .p384, .rsa], leafUsage: [], leafLeniencies: .unreadableDates,
        checksConstraints: false, checksValidity: false)

    static func validate(
        _ list: [[UInt8]], _ anchors: [TrustAnchor], _ profile: ChainProfile = loose, links: LinkCache? = nil,
        recognised: [TrustAnchor] = []
    ) throws -> ValidatedChain {
        let chain = try UnverifiedChain(parsing: list.map { $0[...] }, profile: profile)
        return try ChainValidator(anchors: anchors, profile: profile, links: links, recognised: recognised)
            .validate(chain, at: now)
    }

    /// A root of RSA, an intermediate of RSA, and a leaf.
    struct RSAChain {
        let rootKey: TestKey
        let authorityKey: TestKey
        var chain = TestChain()

        init(bits: Int) throws {
            (rootKey, authorityKey) = (try .rsa(bits: bits), try .rsa(bits: bits))
            chain.root.info = rootKey.info
            chain.authority.info = authorityKey.info
        }

        func presented() throws -> [[UInt8]] {
            [
                try chain.leaf.signed(by: authorityKey), try chain.authority.signed(by: rootKey),
                try chain.root.signed(by: rootKey),
            ]
        }

        func anchor(isSoftware: Bool = false) throws -> TrustAnchor {
            try TrustAnchor(
                name: "RSA", publisher: "test", subject: chain.root.subject, publicKey: rootKey.info, certificateSHA256: [],
                validity: Validity(notBefore: .distantPast, notAfter: .distantFuture), simulated: true, isSoftware: isSoftware)
        }
    }

    @Test("A profile with any leaf key parses the key only on demand")
    func anyLeaf() throws {
        var chain = TestChain()
        let ed25519 = SampleDER.sequence(
            SampleDER.sequence(SampleDER.oid(OID(1, 3, 101, 112))), SampleDER.bitString([UInt8](repeating: 7, count: 32)))
        chain.leaf.info = ed25519
        let validated = try Self.validate(try chain.presented(), [try chain.anchor()])
        #expect(validated.leaf.publicKey.algorithm == .ed25519)
        #expect(throws: Rejection(.unsupportedKey, "")) { try validated.leafKey() }
        chain.leaf.info = chain.leafKey.info
        _ = try Self.validate(try chain.presented(), [try chain.anchor()]).leafKey()
    }

    @Test("A profile can leave dates, CA flags and key usage to the verifier")
    func loose() throws {
        var chain = TestChain()
        chain.authority.extensions = [SampleCertificate.notCA, SampleCertificate.usage(0x80)]
        chain.authority.notAfter = SampleDER.utcTime("250601000000Z")
        chain.leaf.notBefore = SampleDER.utcTime("not a date")
        chain.leaf.extensions = [SampleCertificate.part(OID(1, 2, 3), [], critical: true)]
        _ = try Self.validate(try chain.presented(), [try chain.anchor()])
        chain.authority.notBefore = SampleDER.utcTime("not a date")
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try Self.validate(try chain.presented(), [try chain.anchor()])
        }
    }

    @Test("Every profile checks names, signatures and repeated certificates")
    func strict() throws {
        let chain = TestChain()
        let list = try chain.presented()
        let anchor = try chain.anchor()
        var other = chain
        other.leaf.issuer = SampleDER.name("CA 2")
        #expect(throws: Rejection(.nameChaining, "")) { try Self.validate(try other.presented(), [anchor]) }
        let forged = [try chain.leaf.signed(by: .p384()), list[1]]
        #expect(throws: Rejection(.badSignature, "")) { try Self.validate(forged, [anchor]) }
        let root = try chain.root.signed(by: chain.rootKey)
        #expect(throws: Rejection(.badChain, "")) { try Self.validate(list + [root, root], [anchor]) }
    }

    @Test("A presented root is recognised in any version, and its own signature verified")
    func presentedRoot() throws {
        var chain = TestChain()
        let anchor = try chain.anchor()
        let list = try chain.presented()
        #expect(try !Self.validate(list, [anchor]).presentsRoot)
        chain.root.serial = [9]
        chain.root.notAfter = SampleDER.utcTime("250601000000Z")
        #expect(try Self.validate(list + [try chain.root.signed(by: chain.rootKey)], [anchor]).presentsRoot)
        #expect(throws: Rejection(.untrustedRoot, "")) {
            try Self.validate(list + [try chain.root.signed(by: .p384())], [anchor])
        }
    }

    @Test("RSA chains are validated with either hash", arguments: [false, true])
    func rsa(_ sha384: Bool) throws {
        var chain = try RSAChain(bits: 2048)
        chain.chain.leaf.sha384 = sha384
        let list = try chain.presented()
        #expect(try Self.validate(list, [try chain.anchor()]).anchor.name == "RSA")
        var broken = list
        broken[0][list[0].count - 1] ^= 1
        #expect(throws: Rejection(.badSignature, "")) { try Self.validate(broken, [try chain.anchor()]) }
    }

    @Test("Weak RSA keys are accepted only below a software root")
    func weakRSA() throws {
        let chain = try RSAChain(bits: 1024)
        let list = try chain.presented()
        #expect(throws: Rejection(.unsupportedKey, "")) { try chain.anchor() }
        let software = try chain.anchor(isSoftware: true)
        #expect(try Self.validate(list, [software]).anchor.isSoftware)
        // An anchor with the same name that is not a software root does not permit weak keys.
        var namesake = TestChain()
        namesake.root.subject = chain.chain.root.subject
        namesake.root.issuer = chain.chain.root.subject
        #expect(throws: Rejection(.unsupportedKey, "")) { try Self.validate(list, [software, try namesake.anchor()]) }
    }

    @Test("A recognised root that is not trusted has its own reason code")
    func recognised() throws {
        let chain = try RSAChain(bits: 1024)
        let software = try chain.anchor(isSoftware: true)
        #expect(throws: Rejection(.softwareLevel, "")) {
            try Self.validate(try chain.presented(), [], recognised: [software])
        }
        #expect(throws: Rejection(.softwareLevel, "")) {
            try Self.validate(Array(try chain.presented().dropLast()), [], recognised: [software])
        }
        let namesake = TestChain()
        #expect(throws: Rejection(.untrustedRoot, "")) {
            try Self.validate(try namesake.presented(), [], recognised: [software])
        }
    }

    @Test("Links of short-lived certificates are cached only if the profile says so")
    func remembered() throws {
        var chain = TestChain()
        chain.authority.notBefore = SampleDER.utcTime("260101000000Z")
        chain.authority.notAfter = SampleDER.utcTime("260115000000Z")
        var profile = Self.loose
        for (shortest, count): (Int64, Int) in [(0, 1), (15 * 86_400_000, 0)] {
            profile.shortestRemembered = shortest
            let links = LinkCache()
            _ = try Self.validate(try chain.presented(), [try chain.anchor()], profile, links: links)
            #expect(links.count == count)
        }
    }
}
