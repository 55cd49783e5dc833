import AssayCore
import AssaySimulator
import Testing

let androidSigner = [UInt8](repeating: 0x19, count: 32)
let androidApp = AttestedApplicationDraft("com.example.camera", version: 7, signer: androidSigner)
/// 2026-02-24T00:56:03Z.
let androidTime = Timestamp(unixMilliseconds: 1_771_894_563_060)

func android(
    _ authority: String = "android", level: VirtualAndroid.Level = .trustedEnvironment,
    provisioning: VirtualAndroid.Provisioning? = nil, root: AndroidAuthority.Root? = nil
) throws -> VirtualAndroid {
    VirtualAndroid(
        authority: AndroidAuthority(seed: authority), application: androidApp, level: level, provisioning: provisioning,
        root: root, seed: "device")
}

@Suite("Android attestations")
struct AndroidAttestationTests {
    private func attest(
        _ device: VirtualAndroid, _ kind: TestKey.Kind = .p256, challenge: [UInt8] = [1, 2, 3],
        _ changes: KeyAttestationChanges = .genuine
    ) throws -> [[UInt8]] {
        var device = device
        return try device.makeKey(kind).attest(challenge: challenge, at: androidTime, changes: changes)
    }

    @Test(
        "Every link of a chain is valid, and the chain has the length of its kind",
        arguments: VirtualAndroid.Provisioning.allCases, AndroidAuthority.Root.allCases)
    func links(_ provisioning: VirtualAndroid.Provisioning, _ root: AndroidAuthority.Root) throws {
        for level in VirtualAndroid.Level.allCases {
            let chain = try attest(try android(level: level, provisioning: provisioning, root: root))
            #expect(try PlainVerification.links(chain))
            #expect(chain.count == (provisioning == .factory ? 4 : provisioning == .remote ? 5 : 3))
        }
    }

    @Test("A chain with an exchanged link is invalid")
    func brokenLinks() throws {
        let device = try android()
        #expect(try !PlainVerification.links(try attest(device, .p256, .genuine.signer(of: 1, TestKey(.p256)))))
        #expect(try !PlainVerification.links(try attest(device, .p256, .genuine.chain { $0.swapAt(1, 2) })))
        #expect(try !PlainVerification.links(try attest(device, .p256, .genuine.certificateBytes(0) { $0[60] ^= 1 })))
    }

    @Test("OpenSSL accepts the chains", .enabled(if: OpenSSL.isAvailable, "there is no openssl here"))
    func openSSL() throws {
        let openSSL = try OpenSSL()
        defer { openSSL.remove() }
        let remote = try attest(try android(level: .strongBox, root: .rsa))
        let leaf = try openSSL.describe(remote[0])
        #expect(leaf.contains("Serial Number: 1 (0x1)"))
        #expect(leaf.contains("Not Before: Jan  1 00:00:00 1970 GMT"))
        #expect(leaf.contains("Not After : Jan  1 00:00:00 2048 GMT"))
        #expect(leaf.contains("Subject: CN = Android Keystore Key"))
        #expect(leaf.contains("1.3.6.1.4.1.11129.2.1.17"))
        let attestation = try openSSL.describe(remote[1])
        #expect(attestation.contains("Subject: O = StrongBox, CN = "))
        #expect(attestation.contains("Issuer: O = Google LLC, CN = Droid CA3"))
        #expect(attestation.contains("1.3.6.1.4.1.11129.2.1.30"))
        #expect(attestation.contains("CA:TRUE"))
        #expect(try openSSL.describe(remote[2]).contains("Issuer: O = Google LLC, CN = Droid CA2"))
        #expect(try openSSL.describe(remote[3]).contains("sha256WithRSAEncryption"))
        #expect(try openSSL.describe(remote[4]).contains("Subject: serialNumber = 7e5700000000a55a"))
        let factory = try attest(try android(level: .strongBox, provisioning: .factory))
        #expect(try openSSL.describe(factory[1]).contains("Subject: title = StrongBox, serialNumber = "))

        for chain in [remote, factory] {
            let root = try openSSL.run("x509", "-inform", "DER", "-in", try openSSL.file("root.der", chain.last ?? []))
            var upper = ""
            for (index, certificate) in chain.enumerated() where index > 0 {
                upper += try openSSL.run("x509", "-inform", "DER", "-in", try openSSL.file("\(index).der", certificate)).text
            }
            let verified = try openSSL.run(
                "verify", "-attime", "1771894563", "-CAfile", try openSSL.file("root.pem", Array(root.text.utf8)),
                "-no-CApath", "-untrusted", try openSSL.file("upper.pem", Array(upper.utf8)),
                try openSSL.file("leaf.der", chain[0]))
            #expect(verified.succeeded, "\(verified.text)")
        }
    }

    @Test("A key description equals a Pixel's byte for byte")
    func description() throws {
        let description = try PlainDescription(leaf: try attest(try android(), challenge: Array("challenge".utf8))[0])
        #expect(description.elements.map(\.number) == [2, 10, 2, 10, 4, 4, 16, 16])
        #expect(description.elements[0].integer == 400)
        #expect(description.elements[1].integer == 1)
        #expect(description.elements[2].integer == 400)
        #expect(description.elements[3].integer == 1)
        #expect(description.elements[4].content == Array("challenge".utf8))
        #expect(description.elements[5].content.isEmpty)
        let (software, hardware) = (try description.software, try description.hardware)
        #expect(software.keys.sorted() == [701, 709, 724])
        #expect(hardware.keys.sorted() == [1, 2, 3, 5, 10, 503, 702, 704, 705, 706, 718, 719])
        #expect(software[701]?.integer == 1_771_894_563_060)
        // SEQUENCE { SET { SEQUENCE { OCTET STRING, INTEGER } }, SET { OCTET STRING } }, as in genuine ones.
        #expect(
            software[709]?.content
                == [0x30, 0x3F, 0x31, 0x19, 0x30, 0x17, 0x04, 0x12] + Array("com.example.camera".utf8) + [2, 1, 7, 0x31, 0x22]
                + [4, 0x20] + androidSigner)
        #expect(hardware[1]?.content == [2, 1, 2, 2, 1, 3])
        #expect(hardware[3]?.integer == 256)
        #expect(hardware[503]?.number == 5)
        let root = try #require(try hardware[704]?.children)
        #expect(root.map(\.number) == [4, 1, 10, 4])
        #expect(root[1].content == [0xFF])
        #expect(root[2].integer == 0)
        #expect(hardware[705]?.integer == 160_000)
        #expect(hardware[718]?.integer == 20_251_005)
    }

    @Test(
        "An attestation of each version has that version's fields",
        arguments: [1, 2, 3, 4, 100, 200, 300, 400, 500] as [UInt64])
    func versions(_ version: UInt64) throws {
        var device = try android()
        device.attestationVersion = version
        device.identifiers = [.brand: "assay", .imei: "490154203237518"]
        let description = try PlainDescription(leaf: try attest(device)[0])
        #expect(description.elements[0].integer == version)
        #expect(description.elements[2].integer == (version < 4 ? version + 1 : version == 4 ? 41 : version))
        let (software, hardware) = (try description.software, try description.hardware)
        #expect((software[709] != nil) == (version >= 2))
        #expect((hardware[710]?.content == Array("assay".utf8)) == (version >= 2))
        #expect((hardware[714] != nil) == (version >= 2))
        #expect((hardware[718] != nil) == (version >= 3))
        #expect(try hardware[704]?.children.count == (version < 3 ? 3 : 4))
        #expect((software[724] != nil) == (version >= 400))
    }

    @Test("A software attestation has everything in the software list")
    func software() throws {
        let description = try PlainDescription(leaf: try attest(try android(level: .software))[0])
        #expect(description.elements[1].integer == 0)
        #expect(description.elements[3].integer == 0)
        #expect(try description.hardware.isEmpty)
        #expect(try description.software[704] != nil)
    }

    @Test("A remotely provisioned attestation states how many certificates the device got")
    func provisioningInfo() throws {
        var device = try android()
        device.certificatesIssued = 64
        let chain = try attest(device)
        let info = try #require(try PlainCertificate(chain[1]).value(ofExtension: PlainName.provisioningInfo))
        #expect(info == [0xA2, 0x01, 0x18, 0x40, 0x03, 0x6F] + Array("Assay Simulator".utf8))
        for certificate in try [chain[0], chain[2], chain[3]] + attest(try android(provisioning: .factory)) {
            #expect(try PlainCertificate(certificate).value(ofExtension: PlainName.provisioningInfo) == nil)
        }
    }

    @Test("Two keys of a device share an attestation key; those of two devices share only a factory key")
    func attestationKeys() throws {
        func key(_ device: VirtualAndroid) throws -> [UInt8] {
            try PlainCertificate(try attest(device)[1]).subjectPublicKeyInfo
        }
        let authority = AndroidAuthority(seed: "attestation keys")
        let one = VirtualAndroid(authority: authority, application: androidApp)
        let two = VirtualAndroid(authority: authority, application: androidApp)
        #expect(try key(one) == key(one))
        #expect(try key(one) != key(two))
        let (three, four) = (
            VirtualAndroid(authority: authority, application: androidApp, provisioning: .factory),
            VirtualAndroid(authority: authority, application: androidApp, provisioning: .factory)
        )
        #expect(try key(three) == key(four))
    }
}
