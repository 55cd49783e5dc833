import AssayCore
import AssaySimulator
import Testing

@Suite("Receipts")
struct ReceiptTests {
    let authority = TestAuthority(seed: "receipts")

    func key() -> VirtualKey {
        var phone = VirtualPhone(authority: authority, appID: testAppID, seed: "receipts")
        return phone.makeKey()
    }

    @Test("A receipt has the form and about the size of genuine ones")
    func form() throws {
        let leaf = [UInt8](repeating: 1, count: 900)
        let receipt = try key().receipt(leaf: leaf, clientDataHash: clientDataHash, at: issuance)
        #expect(
            receipt.starts(with: [0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x80]))
        #expect(receipt.suffix(6) == [0, 0, 0, 0, 0, 0])
        #expect((3000...4200).contains(receipt.count))
        #expect(String(decoding: receipt, as: UTF8.self).contains(testAppID))
    }

    @Test("A saved authority makes receipts of the same form")
    func kept() throws {
        let kept = try TestAuthority(saved: authority.saved)
        #expect(kept.rootCertificate == authority.rootCertificate)
        let phone = VirtualPhone(authority: kept, appID: testAppID)
        #expect(phone.authority.rootPEM == authority.rootPEM)
    }

    @Test(
        "OpenSSL accepts a receipt under the authority's root, and under no other", .enabled(if: OpenSSL.isAvailable),
        arguments: ReceiptDraft.Kind.allCases)
    func openSSL(_ kind: ReceiptDraft.Kind) throws {
        let openSSL = try OpenSSL()
        defer { openSSL.remove() }
        for changes in [ReceiptChanges.genuine, .genuine.signedAttributes(), .genuine.message { $0.length = .shortest }] {
            let receipt = try key().receipt(kind, clientDataHash: clientDataHash, at: issuance, changes: changes)
            let file = try openSSL.file("receipt.der", receipt)
            func verify(_ root: TestAuthority) throws -> Bool {
                try openSSL.run(
                    "cms", "-verify", "-inform", "DER", "-in", file, "-purpose", "any", "-binary", "-out", "/dev/null",
                    "-CAfile", try openSSL.file("root.pem", Array(root.rootPEM.utf8)), "-attime",
                    String(issuance.unixMilliseconds / 1000)
                ).succeeded
            }
            #expect(try verify(authority))
            #expect(try !verify(TestAuthority(seed: "another")))
        }
    }
}
