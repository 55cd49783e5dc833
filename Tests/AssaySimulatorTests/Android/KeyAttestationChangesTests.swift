import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@Suite("Changes of key attestations")
struct KeyAttestationChangesTests {
    private func attest(
        _ changes: KeyAttestationChanges, provisioning: VirtualAndroid.Provisioning = .remote
    ) throws -> [[UInt8]] {
        var device = try android(provisioning: provisioning)
        return try device.makeKey().attest(challenge: [1, 2, 3], at: androidTime, changes: changes)
    }

    @Test("Changes of the description are certified, in either list and in any order")
    func description() throws {
        let chain = try attest(
            .genuine
                .description { $0.hardware[.origin] = nil }
                .description { $0.software.set(.origin, integer: 0) }
                .description { $0.hardware.append(.purpose, DERWriter.set([DERWriter.integer(7)])) }
                .description { $0.hardware.append(DescriptionTag(999), DERWriter.integer(1)) }
                .description { $0.hardware.set(.digest, integers: [4, 0]) }
                .description { $0.keyMintLevel = 2 })
        #expect(try PlainVerification.links(chain))
        let description = try PlainDescription(leaf: chain[0])
        #expect(description.elements[3].integer == 2)
        #expect(try description.software[702]?.integer == 0)
        let tags = try description.elements[7].children.map(\.number)
        #expect(tags == [1, 2, 3, 5, 10, 503, 704, 705, 706, 718, 719, 1, 999])
        #expect(try description.hardware[5]?.content == [2, 1, 4, 2, 1, 0])
    }

    @Test("Changes reach the encoded description and its elements")
    func writtenDescription() throws {
        let seven = try attest(.genuine.elements { $0.removeLast() })
        let value = try #require(try PlainCertificate(seven[0]).value(ofExtension: PlainName.keyDescription))
        #expect(try PlainDER.one(value).children.count == 7)
        let trailing = try attest(.genuine.descriptionBytes { $0.append(0) })
        let longer = try #require(try PlainCertificate(trailing[0]).value(ofExtension: PlainName.keyDescription))
        #expect(longer.last == 0)
        #expect(try PlainVerification.links(trailing))
    }

    @Test("Changes reach every certificate before and after it is signed")
    func certificates() throws {
        let plain: [UInt8] = [0x18, 0x04] + Array("1970".utf8)
        let chain = try attest(
            .genuine
                .certificate(0) { $0.times = plain + plain }
                .certificate(1) { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: false) }
                .certificate(2) { $0.serial = [0x05, 0x20] }
                .certificate(2) { $0.extensions.append(.keyDescription([0x30, 0])) })
        #expect(try PlainVerification.links(chain))
        #expect(try PlainCertificate(chain[0]).fields[4].content == plain + plain)
        #expect(try PlainCertificate(chain[1]).value(ofExtension: PlainName.basicConstraints) == [0x30, 0])
        #expect(try PlainCertificate(chain[2]).serial == [0x05, 0x20])
        #expect(try PlainCertificate(chain[2]).value(ofExtension: PlainName.keyDescription) == [0x30, 0])
        let tampered = try attest(.genuine.certificateBytes(3) { $0[$0.count - 1] ^= 1 })
        #expect(try !PlainVerification.links(tampered))
    }

    @Test("ECDSA with NULL, and booleans that are neither true nor false, can be written")
    func octets() throws {
        let named = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.2"), DERWriter.null])
        let chain = try attest(
            .genuine
                .certificate(0) { $0.algorithm = .named(named, .sha256) }
                .certificate(0) { $0.extensions[0].criticalOctet = 1 })
        #expect(try PlainCertificate(chain[0]).algorithm.suffix(2) == [5, 0])
        #expect(try PlainCertificate(chain[0]).extensions[0].children[1].content == [1])
        var device = try android()
        device.rootOfTrust.lockedOctet = 1
        let locked = try device.makeKey().attest(challenge: [1], at: androidTime)
        #expect(try PlainDescription(leaf: locked[0]).hardware[704]?.children[1].content == [1])
    }

    @Test("A factory chain can be signed with an RSA batch key and with a P-384 key over SHA-256")
    func otherAlgorithms() throws {
        let authority = AndroidAuthority(seed: "android")
        var device = VirtualAndroid(
            authority: authority, application: androidApp, provisioning: .factory, root: .rsa,
            attestationKey: try TestKey(.rsa2048, seed: "android", label: "batch"))
        let chain = try device.makeKey().attest(
            challenge: [1], at: androidTime, changes: .genuine.certificate(1) { $0.algorithm = .ecdsaWithSHA256 })
        #expect(try PlainVerification.links(chain))
    }

    @Test("A key can certify another one below its own chain")
    func extended() throws {
        var device = try android()
        let (genuine, forged) = (try device.makeKey(), try device.makeKey())
        let chain = try genuine.attest(challenge: [1], at: androidTime)
        let longer = try genuine.extend(
            chain, with: forged, challenge: [2], at: androidTime,
            changes: .genuine.description { $0.hardware.set(.purpose, integers: [7]) })
        #expect(longer.count == 6)
        #expect(Array(longer.dropFirst()) == chain)
        #expect(try PlainVerification.links(longer))
        #expect(try PlainDescription(leaf: longer[0]).elements[4].content == [2])
        #expect(try PlainCertificate(longer[0]).subjectPublicKeyInfo == forged.key.subjectPublicKeyInfo)
    }

    @Test("Any bytes can be written as a key")
    func anyKey() throws {
        let odd = TestKey.subjectPublicKeyInfo(.mlDSA65, [UInt8](repeating: 9, count: 1952))
        let chain = try attest(.genuine.certificate(0) { $0.subjectPublicKeyInfo = odd })
        #expect(try PlainCertificate(chain[0]).subjectPublicKeyInfo == odd)
    }
}
