import AssayCore
import AssaySimulator
import Crypto
import Testing

/// 2026-04-21T18:13:12.142Z, the instant of Apple's sample: serial number 0x019DB13F0B4E.
let issuance = Timestamp(unixMilliseconds: 0x19D_B13F_0B4E)
let clientDataHash = [UInt8](repeating: 7, count: 32)
let testAppID = "TEAMID1234.com.example.app"

/// A parsed attestation.
struct TakenApart: Sendable {
    let object: PlainCBOR
    let leaf: [UInt8]
    let intermediate: [UInt8]
    let receipt: [UInt8]
    let authData: [UInt8]

    init(_ bytes: [UInt8]) throws {
        object = try PlainCBOR.read(bytes)
        let statement = try #require(object["attStmt"])
        let certificates = try #require(statement["x5c"]?.arrayValue)
        let chain = certificates.compactMap { $0.bytesValue }
        try #require(chain.count == 2)
        (leaf, intermediate) = (chain[0], chain[1])
        receipt = try #require(statement["receipt"]?.bytesValue)
        authData = try #require(object["authData"]?.bytesValue)
    }
}

@Suite("Attestations")
struct AttestationTests {
    let authority = TestAuthority(seed: "attestations")

    func key(
        _ environment: VirtualPhone.Environment = .production, _ platform: VirtualPhone.Platform = .iOS, os: String = "18.5"
    ) -> VirtualKey {
        var phone = VirtualPhone(
            authority: authority, appID: testAppID, environment: environment, platform: platform, osVersion: os, seed: "phone")
        return phone.makeKey()
    }

    @Test("An attestation has the members of a genuine object, in their order")
    func members() throws {
        let bytes = try key().attest(clientDataHash: clientDataHash, at: issuance)
        let parts = try TakenApart(bytes)
        #expect(bytes.starts(with: [0xA3, 0x63] + Array("fmt".utf8) + [0x6F] + Array("apple-appattest".utf8) + [0x67]))
        #expect(parts.object.keys == [.text("fmt"), .text("attStmt"), .text("authData")])
        #expect(parts.object["attStmt"]?.keys == [.text("x5c"), .text("receipt")])
        #expect((761...1057).contains(parts.leaf.count))
        #expect((580...640).contains(parts.intermediate.count))
        #expect((4700...6200).contains(bytes.count))
        #expect(parts.receipt.starts(with: [0x30, 0x80, 0x06, 0x09]))
    }

    @Test("Before OS 27 an attestation has 164 bytes of authenticator data", arguments: VirtualPhone.Environment.allCases)
    func authenticatorData(_ environment: VirtualPhone.Environment) throws {
        let key = key(environment)
        let data = try TakenApart(try key.attest(clientDataHash: clientDataHash, at: issuance)).authData
        try #require(data.count == 164)
        #expect(data[0..<32] == Array(SHA256.hash(data: Array(testAppID.utf8)))[...])
        #expect(data[32] == 0x40)
        #expect(data[33..<37] == [0, 0, 0, 0])
        let aaguid = environment == .development ? "61707061747465737464 6576656C6F70" : "617070617474657374 00000000000000"
        #expect(data[37..<53] == Hex.decode(aaguid.filter { $0 != " " })?[...])
        #expect(data[53..<55] == [0, 32])
        #expect(data[55..<87] == Array(SHA256.hash(data: key.publicKey))[...])
        #expect(data[87..<97] == [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20])
        #expect(data[97..<129] == key.publicKey[1..<33])
        #expect(data[129..<132] == [0x22, 0x58, 0x20])
        #expect(data[132..<164] == key.publicKey[33...])
    }

    @Test("Since OS 27 an attestation ends with the extensions map, byte for byte as in Apple's sample")
    func extensions() throws {
        let data = try TakenApart(try key(os: "27.0").attest(clientDataHash: clientDataHash, at: issuance)).authData
        let map: [UInt8] =
            [0xA2, 0x77] + Array("apple_bundle_version_01".utf8) + [0x61, 0x31, 0x78, 0x1C]
            + Array("apple_validation_category_01".utf8) + [0x44, 4, 0, 0, 0]
        #expect(data.count == 226)
        #expect(Array(data.dropFirst(164)) == map)
        #expect(data[32] == 0x40)
    }

    @Test("The certificate of an attestation contains SHA-256(authData ‖ clientDataHash)")
    func nonce() throws {
        let parts = try TakenApart(try key(os: "27.0").attest(clientDataHash: clientDataHash, at: issuance))
        let nonce = Array(SHA256.hash(data: parts.authData + clientDataHash))
        let expected: [UInt8] =
            [0x30, 0x33, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02, 0x04, 0x26]
            + [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce
        #expect(parts.leaf.contains(expected))
    }

    @Test("A Mac's attestation has the access control list that Apple documents; an iPhone's with iOS 27 another")
    func accessControl() throws {
        let mac = try TakenApart(try key(.production, .macOS, os: "27.0").attest(clientDataHash: clientDataHash, at: issuance))
        // Base64 in Apple's documentation: MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2du…
        let documented = try #require(
            Hex.decode(
                "30400c023131303a30090c026f6ba1030101ff30090c026f61a1030101ff300b0c046f64656ca1030101ff"
                    + "30150c046f73676ea0060c04727365633005a603020101"))
        #expect(documented.count == 66)
        #expect(mac.leaf.contains([0x30, 0x46, 0xA3, 0x44, 0x04, 0x42] + documented))
        let phone = try TakenApart(try key(os: "27.0").attest(clientDataHash: clientDataHash, at: issuance))
        #expect(phone.leaf.contains([0x30, 0x49, 0xA3, 0x47, 0x04, 0x45, 0x30, 0x43, 0x0C, 0x02, 0x31, 0x31]))
        #expect(mac.authData.suffix(4) == [6, 0, 0, 0])
    }

    @Test("OpenSSL accepts chain, names, dates and algorithms", .enabled(if: OpenSSL.isAvailable, "there is no openssl here"))
    func openSSL() throws {
        let openSSL = try OpenSSL()
        defer { openSSL.remove() }
        let key = key()
        let parts = try TakenApart(try key.attest(clientDataHash: clientDataHash, at: issuance))

        let leaf = try openSSL.describe(parts.leaf)
        #expect(leaf.contains("CN = \(Hex.encode(key.keyID)), OU = AAA Certification, O = Assay Simulator, ST = Simulation"))
        #expect(leaf.contains("Issuer: CN = Assay Test App Attestation CA 1, O = Assay Simulator, ST = Simulation"))
        #expect(leaf.contains("Serial Number: 1776795192142 (0x19db13f0b4e)"))
        #expect(leaf.contains("Not Before: Apr 20 18:13:12 2026 GMT"))
        #expect(leaf.contains("Not After : Apr 23 18:13:12 2026 GMT"))
        #expect(leaf.contains("Signature Algorithm: ecdsa-with-SHA256"))
        #expect(leaf.contains("Digital Signature, Non Repudiation, Key Encipherment, Data Encipherment"))
        #expect(leaf.contains("NIST CURVE: P-256"))

        let intermediate = try openSSL.describe(parts.intermediate)
        #expect(intermediate.contains("CA:TRUE, pathlen:0"))
        #expect(intermediate.contains("Certificate Sign, CRL Sign"))
        #expect(intermediate.contains("ecdsa-with-SHA384"))
        #expect(intermediate.contains("NIST CURVE: P-384"))
        #expect(try openSSL.describe(authority.rootCertificate).contains("Subject: CN = Assay Test App Attestation Root CA"))

        let seconds = issuance.unixMilliseconds / 1000
        func verify(_ parts: TakenApart, rootPEM: String, at instant: Int64) throws -> (text: String, succeeded: Bool) {
            try openSSL.verify(leaf: parts.leaf, intermediate: parts.intermediate, rootPEM: rootPEM, unixSeconds: instant)
        }
        let good = try verify(parts, rootPEM: authority.rootPEM, at: seconds)
        #expect(good.succeeded, "\(good.text)")
        #expect(try verify(parts, rootPEM: authority.rootPEM, at: seconds + 49 * 3600).text.contains("expired"))
        #expect(try verify(parts, rootPEM: authority.rootPEM, at: seconds - 25 * 3600).text.contains("not yet valid"))
        #expect(try !verify(parts, rootPEM: TestAuthority().rootPEM, at: seconds).succeeded)

        let lookAlike = AttestationChanges.genuine.leafSigner(TestSigningKey(.p384))
        let forged = try TakenApart(try key.attest(clientDataHash: clientDataHash, at: issuance, changes: lookAlike))
        #expect(try !verify(forged, rootPEM: authority.rootPEM, at: seconds).succeeded)
    }
}

extension [UInt8] {
    /// Whether `part` occurs in the bytes.
    func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
