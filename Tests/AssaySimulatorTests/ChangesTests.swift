import AssayCore
import AssayEncoding
import AssaySimulator
import Crypto
import Testing

@Suite("Changes")
struct ChangesTests {
    let authority = TestAuthority(seed: "changes")

    private func attest(_ changes: AttestationChanges) throws -> [UInt8] {
        var phone = VirtualPhone(authority: authority, appID: testAppID, osVersion: "18.5", seed: "changes")
        return try phone.makeKey().attest(clientDataHash: clientDataHash, at: issuance, changes: changes)
    }

    private func certifies(_ parts: TakenApart) -> Bool {
        parts.leaf.contains([0xA1, 0x22, 0x04, 0x20] + Array(SHA256.hash(data: parts.authData + clientDataHash)))
    }

    @Test("Changes of authenticator data are certified; changes of sent data are not")
    func coverage() throws {
        let certified = try TakenApart(
            try attest(
                .genuine
                    .authenticatorData { $0.signCount = 1 }
                    .authenticatorData { $0.flags = 0xC0 }
                    .authenticatorData { $0.credential?.statedLength = 31 }
                    .authenticatorBytes { $0.append(0) }))
        #expect(certified.authData.count == 165)
        #expect(certified.authData[32..<37] == [0xC0, 0, 0, 0, 1])
        #expect(certified.authData[53..<55] == [0, 31])
        #expect(certifies(certified))
        let tampered = try TakenApart(try attest(.genuine.sentAuthenticatorBytes { $0[36] = 1 }))
        #expect(!certifies(tampered))
    }

    @Test("Changes reach the chain, the statement, the object and its bytes")
    func envelope() throws {
        let root = authority.rootCertificate
        let bytes = try attest(
            .genuine
                .chain { $0.swapAt(0, 1) }
                .chain { $0.append(root) }
                .statement { $0["receipt"] = nil }
                .object { $0["fmt"] = CBORWriter.text("packed") }
                .object { $0.append("cdHash", CBORMap().bytes) }
                .bytes { $0 += [] })
        let object = try PlainCBOR.read(bytes)
        #expect(object.keys == [.text("fmt"), .text("attStmt"), .text("authData"), .text("cdHash")])
        #expect(object["fmt"] == .text("packed"))
        #expect(object["attStmt"]?.keys == [.text("x5c")])
        let chain = try #require(object["attStmt"]?["x5c"]?.arrayValue)
        #expect(chain.count == 3)
        #expect(chain.last == .bytes(root))
        #expect(chain.first == .bytes(authority.intermediateCertificate))
    }

    @Test("Changes write CBOR that strict readers refuse")
    func wrongCBOR() throws {
        #expect(try attest(.genuine.object { $0.indefinite = true }).first == 0xBF)
        #expect(try attest(.genuine.object { $0.indefinite = true }).last == 0xFF)
        #expect(try attest(.genuine.object { $0.append("authData", CBORWriter.bytes([])) }).first == 0xA4)
        #expect(CBORWriter.head(2, 1 << 63) == [0x5B, 0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(CBORWriter.integer(5, width: .two) == [0x19, 0, 5])
        #expect(CBORWriter.indefiniteBytes([[1], [2, 3]]) == [0x5F, 0x41, 1, 0x42, 2, 3, 0xFF])
        #expect(CBORWriter.tagged(24, CBORWriter.integer(-1)) == [0xD8, 24, 0x20])
    }

    @Test("Changes write DER that strict readers refuse")
    func wrongDER() {
        #expect(DERWriter.element([0x04], [9], length: .octets(2)) == [0x04, 0x82, 0, 1, 9])
        #expect(DERWriter.sequence([[9]], length: .indefinite) == [0x30, 0x80, 9, 0, 0])
        #expect(DERWriter.element([0x04], [9], length: .stated(300)) == [0x04, 0x82, 1, 44, 9])
        #expect(DERWriter.context(1204, [[9]]) == [0xBF, 0x89, 0x34, 1, 9])
        #expect(DERWriter.integer(unsigned: [0, 0, 0x80]) == [2, 2, 0, 0x80])
        #expect(DERWriter.integer(0) == [2, 1, 0])
        #expect(DERWriter.time(Timestamp(unixSeconds: 2_524_608_000)) == [0x18, 15] + Array("20500101000000Z".utf8))
        #expect(DERWriter.objectIdentifier("1.2.840.113635.100.8.2") == [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 8, 2])
    }

    @Test("Changes reach both certificates", .enabled(if: OpenSSL.isAvailable, "there is no openssl here"))
    func certificates() throws {
        let openSSL = try OpenSSL()
        defer { openSSL.remove() }
        let parts = try TakenApart(
            try attest(
                .genuine
                    .leaf { $0.extensions.append(.init("1.2.3.4", critical: true, DERWriter.utf8String("unknown"))) }
                    .leaf { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: true) }
                    .leaf { $0[ExtensionName.appleNonce] = nil }
                    .leaf { $0.subjectPublicKeyInfo = TestSigningKey(.p384, seed: "x", label: "x").subjectPublicKeyInfo }
                    .intermediate { $0[ExtensionName.keyUsage] = .keyUsage(.cRLSign) }
                    .intermediate { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: false) }))
        let leaf = try openSSL.describe(parts.leaf)
        #expect(leaf.contains("1.2.3.4: critical"))
        #expect(leaf.contains("CA:TRUE"))
        #expect(leaf.contains("NIST CURVE: P-384"))
        #expect(!leaf.contains("1.2.840.113635.100.8.2:"))
        let intermediate = try openSSL.describe(parts.intermediate)
        #expect(intermediate.contains("CA:FALSE"))
        #expect(!intermediate.contains("Certificate Sign"))
        let verdict = try openSSL.verify(
            leaf: parts.leaf, intermediate: parts.intermediate, rootPEM: authority.rootPEM,
            unixSeconds: issuance.unixMilliseconds / 1000)
        #expect(!verdict.succeeded)
    }

    @Test("A device key can act as an issuer")
    func forgedIssuer() throws {
        var phone = VirtualPhone(authority: authority, appID: testAppID, osVersion: "18.5", seed: "forger")
        let (honest, forger) = (phone.makeKey(), phone.makeKey())
        let genuine = try TakenApart(try honest.attest(clientDataHash: clientDataHash, at: issuance))
        let name = CertificateBuilder.Name(
            commonName: Hex.encode(honest.keyID), unit: "AAA Certification", organization: "Assay Simulator",
            state: "Simulation")
        let bytes = try forger.attest(
            clientDataHash: clientDataHash, at: issuance,
            changes: .genuine.leaf { $0.issuer = name }.leafSigner(honest.signingKey).chain { $0.insert(genuine.leaf, at: 1) })
        #expect(try PlainCBOR.read(bytes)["attStmt"]?["x5c"]?.arrayValue?.count == 3)
    }
}
