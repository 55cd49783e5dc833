import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@Suite("Link cache")
struct LinkCacheTests {
    static let now = ChainValidatorTests.now

    static func validate(
        _ chain: [[UInt8]], _ anchors: [TrustAnchor], at now: Timestamp = now, links: LinkCache
    ) throws(Rejection) -> ValidatedChain {
        try ChainValidatorTests.validate(chain, anchors, at: now, links: links)
    }

    static func filled(with chain: [[UInt8]], _ anchor: TrustAnchor) throws -> LinkCache {
        let links = LinkCache()
        _ = try validate(chain, [anchor], links: links)
        #expect(links.count == 1)
        return links
    }

    @Test("A cached chain does not validate under other anchors, whatever their names")
    func otherAnchors() throws {
        let (chain, other) = (TestChain(), TestChain())
        var renamed = TestChain()
        renamed.root.subject = SampleDER.name("Another Root")
        renamed.root.issuer = renamed.root.subject
        let (list, anchor) = (try chain.presented(), try chain.anchor())
        let links = try Self.filled(with: list, anchor)
        let sameName = try other.anchor()
        let otherName = try renamed.anchor()
        let unrelated = try ChainValidatorTests.unrelatedAnchor()
        for anchors in [[], [sameName], [otherName], [sameName, otherName], [unrelated]] {
            #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(list, anchors, links: links) }
        }
        // The verdict names the same anchor, whatever other anchors there are.
        #expect(try Self.validate(list, [sameName, otherName, anchor], links: links).anchor == anchor)
        #expect(links.count == 1)
    }

    @Test("A cached chain is refused after its anchor was removed, or after it expired")
    func removalAndExpiry() throws {
        let chain = TestChain()
        let (list, anchor) = (try chain.presented(), try chain.anchor())
        let links = try Self.filled(with: list, anchor)
        #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(list, [], links: links) }
        let authority = try Certificate(der: list[1][...])
        let end = authority.validity.notAfter.adding(milliseconds: 300_001)
        #expect(throws: Rejection(.expired, "")) { try Self.validate(list, [anchor], at: end, links: links) }
        #expect(throws: Rejection(.notYetValid, "")) {
            try Self.validate(list, [anchor], at: authority.validity.notBefore.adding(milliseconds: -300_001), links: links)
        }
        #expect(try Self.validate(list, [anchor], links: links).anchor == anchor)
    }

    @Test("A cached certificate is still checked against a stricter profile's constraints")
    func profiles() throws {
        let chain = TestChain()
        let (list, anchor) = (try chain.presented(), try chain.anchor())
        let links = try Self.filled(with: list, anchor)
        var profile = ChainValidatorTests.profile
        profile.authorityKeys = [.p256]
        let strict = ChainValidator(anchors: [anchor], profile: profile, links: links)
        let unverified = try UnverifiedChain(parsing: list.map { $0[...] }, profile: profile)
        #expect(throws: Rejection(.unsupportedKey, "")) { try strict.validate(unverified, at: Self.now) }
    }

    @Test("Links that did not reach an anchor, and leaves, are not cached")
    func unanchored() throws {
        let (chain, stranger) = (TestChain(), TestChain())
        let anchor = try chain.anchor()
        let links = LinkCache()
        let strange = try stranger.presented()
        let withRoot = strange + [try stranger.root.signed(by: stranger.rootKey)]
        for list in [strange, withRoot] {
            #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(list, [anchor], links: links) }
        }
        #expect(links.count == 0)
        // The intermediate is valid, the leaf below it is not: only the intermediate is cached.
        var forged = try chain.presented()
        forged[0] = try chain.leaf.signed(by: stranger.authorityKey)
        let list = forged
        #expect(throws: Rejection(.badSignature, "")) { try Self.validate(list, [anchor], links: links) }
        #expect(links.count == 1)
        // A CA that a valid intermediate did not sign is not cached under its name.
        var below = chain.authority
        below.issuer = chain.authority.subject
        below.subject = SampleDER.name("CA 2")
        below.info = stranger.authorityKey.info
        var leaf = chain.leaf
        leaf.issuer = below.subject
        var authority = chain.authority
        authority.extensions[0] = SampleCertificate.ca(1)
        let attack = [
            try leaf.signed(by: stranger.authorityKey), try below.signed(by: stranger.authorityKey),
            try authority.signed(by: chain.rootKey),
        ]
        #expect(throws: Rejection(.badSignature, "")) { try Self.validate(attack, [anchor], links: links) }
        #expect(links.count == 2)
        let good = [attack[0], try below.signed(by: chain.authorityKey), attack[2]]
        _ = try Self.validate(good, [anchor], links: links)
        #expect(links.count == 3)
    }

    @Test("A full link cache keeps its capacity and continues to work")
    func capacity() throws {
        let chain = TestChain()
        let anchor = try chain.anchor()
        let leaf = try chain.leaf.signed(by: chain.authorityKey)
        let links = LinkCache(capacity: 8)
        for serial in 1...40 as ClosedRange<UInt8> {
            var authority = chain.authority
            authority.serial = [serial]
            _ = try Self.validate([leaf, try authority.signed(by: chain.rootKey)], [anchor], links: links)
            #expect((1...8).contains(links.count))
        }
    }

    @Test("A certificate that reached an anchor is not read again, and a leaf is")
    func certificates() throws {
        let chain = TestChain()
        let (list, anchor, links) = (try chain.presented().map { $0[...] }, try chain.anchor(), LinkCache())
        func read() throws -> UnverifiedChain {
            try UnverifiedChain(parsing: list, profile: ChainValidatorTests.profile, links: links)
        }
        let validator = ChainValidator(anchors: [anchor], profile: ChainValidatorTests.profile, links: links)
        let first = try read()
        #expect(try read().authorities.first !== first.authorities.first, "it has not reached an anchor yet")
        _ = try validator.validate(first, at: Self.now)
        let (second, third) = (try read(), try read())
        #expect(second.authorities.first === third.authorities.first && second.leaf !== third.leaf)
        #expect(second.authorities.first?.der == list[1] && links.certificate(list[0]) == nil)
        #expect(try validator.validate(second, at: Self.now).anchor == anchor)
        let without = LinkCache(keepsCertificates: false)
        _ = try ChainValidator(anchors: [anchor], profile: ChainValidatorTests.profile, links: without)
            .validate(first, at: Self.now)
        #expect(without.count == 1 && without.certificate(list[1]) == nil)
    }

    @Test("A certificate that was read under a leniency is refused under a profile without it")
    func leniencies() throws {
        var chain = TestChain()
        chain.authority.serial = [0x80, 0x01]
        let (list, anchor, links) = (try chain.presented().map { $0[...] }, try chain.anchor(), LinkCache())
        var profile = ChainValidatorTests.profile
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try UnverifiedChain(parsing: list, profile: ChainValidatorTests.profile, links: links)
        }
        profile.leniencies = .oddSerial
        let unverified = try UnverifiedChain(parsing: list, profile: profile, links: links)
        _ = try ChainValidator(anchors: [anchor], profile: profile, links: links).validate(unverified, at: Self.now)
        #expect(links.certificate(list[1], allowing: [.oddSerial, .ecdsaWithNull])?.usedLeniencies == .oddSerial)
        #expect(links.certificate(list[1], allowing: .ecdsaWithNull) == nil)
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try UnverifiedChain(parsing: list, profile: ChainValidatorTests.profile, links: links)
        }
    }

    @Test("Validators with different anchors can share a link cache")
    func shared() throws {
        let links = LinkCache()
        let (first, second) = (TestAuthority(seed: "first"), TestAuthority(seed: "second"))
        let anchors = try [first, second].map { try TrustAnchor(name: "test", pem: $0.rootPEM, simulated: true) }
        for (index, authority) in [first, second].enumerated() {
            var phone = VirtualPhone(authority: authority, appID: "TEAM.app", seed: "phone")
            let key = phone.makeKey()
            let leaf = try #require(try Self.leaf(of: key, at: Self.now))
            let chain = [leaf, authority.intermediateCertificate]
            _ = try Self.validate(chain, [anchors[index]], links: links)
            #expect(throws: Rejection(.untrustedRoot, "")) { try Self.validate(chain, [anchors[1 - index]], links: links) }
            #expect(links.count == index + 1)
        }
    }

    /// The credential certificate of an attestation.
    static func leaf(of key: VirtualKey, at time: Timestamp) throws -> [UInt8]? {
        var leaf: [UInt8]?
        let object = try key.attest(clientDataHash: [], at: time)
        try CBORReader.parse(object[...], code: .malformedCBOR).pairs("object") { (name, value) throws(Rejection) in
            guard try name.text("name") == "attStmt" else { return }
            try value.pairs("statement") { (name, value) throws(Rejection) in
                guard try name.text("name") == "x5c" else { return }
                try value.elements("x5c") { (item) throws(Rejection) in
                    if leaf == nil { leaf = Array(try item.bytes("certificate")) }
                }
            }
        }
        return leaf
    }
}
