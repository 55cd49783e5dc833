import AssayCertificates
import AssayCore
import AssayEncoding
import Testing

/// A root, an intermediate below it and a leaf below that, valid unless a test changes one of them.
struct TestChain {
    let rootKey = TestKey.p384()
    let authorityKey = TestKey.p384()
    let leafKey = TestKey.p256()
    var root = SampleCertificate()
    var authority = SampleCertificate()
    var leaf = SampleCertificate()

    init() {
        root.subject = SampleDER.name("Root")
        root.issuer = root.subject
        root.info = rootKey.info
        root.sha384 = true
        root.extensions = [SampleCertificate.ca(), SampleCertificate.usage(0x06)]
        authority.subject = SampleDER.name("CA 1")
        authority.issuer = root.subject
        authority.info = authorityKey.info
        authority.sha384 = true
        authority.serial = [2]
        authority.extensions = [SampleCertificate.ca(0), SampleCertificate.usage(0x06)]
        leaf.issuer = authority.subject
        leaf.info = leafKey.info
        leaf.serial = [3]
        leaf.extensions = [SampleCertificate.notCA, SampleCertificate.usage(0xF0)]
    }

    func anchor() throws -> TrustAnchor {
        try TrustAnchor(name: "test", pem: PEM.encode(try root.signed(by: rootKey)), simulated: true)
    }

    func presented() throws -> [[UInt8]] { [try leaf.signed(by: authorityKey), try authority.signed(by: rootKey)] }
}

@Suite("Chain validator")
struct ChainValidatorTests {
    static let now = Timestamp(unixSeconds: 1_767_225_600)  // 2026-01-01
    static let profile = ChainProfile(
        lengths: 2...4, signatureAlgorithms: [.ecdsaWithSHA256, .ecdsaWithSHA384], leafKeys: [.p256],
        authorityKeys: [.p384, .p256], leafUsage: .digitalSignature)

    static func validate(
        _ list: [[UInt8]], _ anchors: [TrustAnchor], at now: Timestamp = now, links: LinkCache? = nil
    ) throws(Rejection) -> ValidatedChain {
        let chain = try UnverifiedChain(parsing: list.map { $0[...] }, profile: profile)
        return try ChainValidator(anchors: anchors, profile: profile, links: links).validate(chain, at: now)
    }

    /// An anchor of another name and key than those of any `TestChain`.
    static func unrelatedAnchor() throws -> TrustAnchor {
        var chain = TestChain()
        chain.root.subject = SampleDER.name("Unrelated Root")
        chain.root.issuer = chain.root.subject
        return try chain.anchor()
    }

    static func refuses(_ code: ReasonCode, _ change: (inout TestChain) -> Void, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        var chain = TestChain()
        change(&chain)
        let (list, anchor) = (try chain.presented(), try chain.anchor())
        #expect(throws: Rejection(code, ""), sourceLocation: location) { try validate(list, [anchor]) }
    }

    @Test("A valid chain leads to its anchor")
    func accepts() throws {
        let chain = TestChain()
        let anchor = try chain.anchor()
        let validated = try Self.validate(try chain.presented(), [try Self.unrelatedAnchor(), anchor])
        #expect(validated.anchor == anchor && validated.anchor.simulated)
        #expect(validated.serials == [[3], [2]])
        #expect(validated.leaf.publicKey.der.elementsEqual(chain.leafKey.info))
    }

    @Test("Each fault of a chain has its own code")
    func faults() throws {
        try Self.refuses(.nameChaining) { $0.leaf.issuer = SampleDER.name("CA 2") }
        try Self.refuses(.untrustedRoot) { $0.authority.issuer = SampleDER.name("Roof") }
        try Self.refuses(.caUsedAsLeaf) { $0.leaf.extensions = [SampleCertificate.ca()] }
        try Self.refuses(.keyUsage) { $0.leaf.extensions = [SampleCertificate.usage(0x20)] }
        try Self.refuses(.keyUsage) { $0.leaf.extensions = [] }
        try Self.refuses(.badChain) { $0.authority.extensions = [SampleCertificate.notCA, SampleCertificate.usage(0x04)] }
        try Self.refuses(.badChain) { $0.authority.extensions = [SampleCertificate.usage(0x04)] }
        try Self.refuses(.keyUsage) { $0.authority.extensions = [SampleCertificate.ca(), SampleCertificate.usage(0x02)] }
        try Self.refuses(.keyUsage) { $0.authority.extensions = [SampleCertificate.ca()] }
        try Self.refuses(.malformedCertificate) {
            $0.leaf.extensions.append(SampleCertificate.part(OID(1, 3, 6, 1), [], critical: true))
        }
        try Self.refuses(.unsupportedKey) { $0.leaf.info = TestKey.p384().info }
        try Self.refuses(.notYetValid) { $0.leaf.notBefore = SampleDER.utcTime("260102000000Z") }
        try Self.refuses(.expired) { $0.leaf.notAfter = SampleDER.utcTime("251231000000Z") }
        try Self.refuses(.expired) { $0.authority.notAfter = SampleDER.utcTime("251231000000Z") }
        try Self.refuses(.badSignature) {
            $0.leaf.sha384 = false; $0.authority.info = TestKey.p384().info
        }
    }

    @Test("Algorithms outside the profile are refused")
    func algorithms() throws {
        let chain = TestChain()
        var profile = Self.profile
        profile.signatureAlgorithms = [.ecdsaWithSHA256]
        let unverified = try UnverifiedChain(parsing: try chain.presented().map { $0[...] }, profile: profile)
        let validator = ChainValidator(anchors: [try chain.anchor()], profile: profile, links: nil)
        #expect(throws: Rejection(.unsupportedAlgorithm, "")) { try validator.validate(unverified, at: Self.now) }
    }

    @Test("Clocks may differ by five minutes and no more")
    func skew() throws {
        let chain = TestChain()
        let (list, anchor) = (try chain.presented(), try chain.anchor())
        let certificate = try Certificate(der: list[0][...])
        let (from, to) = (certificate.validity.notBefore, certificate.validity.notAfter)
        _ = try Self.validate(list, [anchor], at: from.adding(milliseconds: -300_000))
        _ = try Self.validate(list, [anchor], at: to.adding(milliseconds: 300_000))
        #expect(throws: Rejection(.notYetValid, "")) {
            try Self.validate(list, [anchor], at: from.adding(milliseconds: -300_001))
        }
        #expect(throws: Rejection(.expired, "")) { try Self.validate(list, [anchor], at: to.adding(milliseconds: 300_001)) }
        #expect(throws: Rejection(.notYetValid, "")) { try Self.validate(list, [anchor], at: .distantPast) }
        #expect(throws: Rejection(.expired, "")) { try Self.validate(list, [anchor], at: .distantFuture) }
    }

    @Test("The number of certificates is limited")
    func lengths() throws {
        let chain = TestChain()
        let (list, anchor) = (try chain.presented(), try chain.anchor())
        for count in [0, 1, 5] {
            let some = (0..<count).map { list[min($0, 1)] }
            #expect(throws: Rejection(.badChain, "")) { try Self.validate(some, [anchor]) }
        }
        #expect(throws: Rejection(.nameChaining, "")) { try Self.validate(list.reversed(), [anchor]) }
    }

    @Test("Neither a root that was sent nor a look-alike of an anchor is trusted")
    func roots() throws {
        let (chain, stranger) = (TestChain(), TestChain())
        let anchor = try chain.anchor()
        let list = try chain.presented() + [try chain.root.signed(by: chain.rootKey)]
        #expect(try Self.validate(list, [anchor]).serials.count == 3)
        let twice = list + [list[2]]
        #expect(throws: Rejection(.badChain, "")) { try Self.validate(twice, [anchor]) }
        let attack = try stranger.presented() + [try stranger.root.signed(by: stranger.rootKey)]
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(attack, [anchor]) }
        let unrelated = try Self.unrelatedAnchor()
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(attack, [unrelated]) }
        let lookAlike = try stranger.presented()
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(lookAlike, [anchor]) }
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(list, []) }
        // Among several anchors with one name, the one that signed is found.
        #expect(try Self.validate(lookAlike, [anchor, try stranger.anchor()]).anchor == stranger.anchor())
    }

    @Test("Path lengths are respected, and a leaf is refused as issuer")
    func paths() throws {
        var chain = TestChain()
        let second = TestKey.p384()
        var below = chain.authority
        below.subject = SampleDER.name("CA 2")
        below.issuer = chain.authority.subject
        below.info = second.info
        chain.leaf.issuer = below.subject
        let anchor = try chain.anchor()
        func list(_ chain: TestChain) throws -> [[UInt8]] {
            [
                try chain.leaf.signed(by: second), try below.signed(by: chain.authorityKey),
                try chain.authority.signed(by: chain.rootKey),
            ]
        }
        let tooLong = try list(chain)
        #expect(throws: Rejection(.badChain, "")) { try Self.validate(tooLong, [anchor]) }
        chain.authority.extensions[0] = SampleCertificate.ca(1)
        #expect(try Self.validate(try list(chain), [anchor]).serials.count == 3)

        let good = TestChain()
        var forged = good.leaf
        forged.issuer = good.leaf.subject
        let attack = [try forged.signed(by: good.leafKey)] + (try good.presented())
        let goodAnchor = try good.anchor()
        #expect(throws: Rejection(.badChain, "")) { try Self.validate(attack, [goodAnchor]) }
    }

    @Test("Only authorities' links are cached, after their path has reached an anchor")
    func links() throws {
        let (chain, stranger) = (TestChain(), TestChain())
        let (links, anchor) = (LinkCache(), try chain.anchor())
        let lookAlike = try stranger.presented()
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(lookAlike, [anchor], links: links) }
        #expect(links.count == 0)
        let list = try chain.presented()
        for _ in 0..<3 { _ = try Self.validate(list, [anchor], links: links) }
        #expect(links.count == 1)
        // Only the signature is cached: dates, anchors and the leaf are checked again.
        #expect(throws: Rejection(.expired, "")) { try Self.validate(list, [anchor], at: .distantFuture, links: links) }
        let unrelated = try Self.unrelatedAnchor()
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(list, [unrelated], links: links) }
        let strangers = try stranger.anchor()
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(list, [strangers], links: links) }
        var broken = list
        broken[0][broken[0].count - 1] ^= 1
        #expect(throws: Rejection(.badSignature, "")) { try Self.validate(broken, [anchor], links: links) }
        broken = list
        broken[1][broken[1].count - 1] ^= 1
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(broken, [anchor], links: links) }
        #expect(links.count == 1)
    }

    @Test("The link cache keeps no more links than its capacity")
    func capacity() throws {
        let links = LinkCache(capacity: 2)
        for _ in 0..<5 {
            let chain = TestChain()
            _ = try Self.validate(try chain.presented(), [try chain.anchor()], links: links)
            #expect((1...2).contains(links.count))
        }
        let none = LinkCache(capacity: 0)
        let chain = TestChain()
        _ = try Self.validate(try chain.presented(), [try chain.anchor()], links: none)
        #expect(none.count == 0)
    }
}

@Suite("Trust anchors")
struct TrustAnchorTests {
    @Test("A configured anchor is exactly one CA certificate")
    func configured() throws {
        let chain = TestChain()
        let root = PEM.encode(try chain.root.signed(by: chain.rootKey))
        let leaf = PEM.encode(try chain.leaf.signed(by: chain.authorityKey))
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try TrustAnchor(name: "two", pem: root + root, simulated: true)
        }
        #expect(throws: Rejection(.malformedCertificate, "")) { try TrustAnchor(name: "none", pem: "", simulated: true) }
        #expect(throws: Rejection(.badChain, "")) { try TrustAnchor(name: "leaf", pem: leaf, simulated: true) }
    }
}
