import AssayCore
import AssayEncoding
import Testing

@testable import AssayCertificates

/// Messages that OpenSSL 3 wrote, each over the text "signed by OpenSSL", under a key made for them:
///
///     openssl cms -sign -nodetach -binary -md sha256 -outform DER -in message -signer certificate -inkey key
@Suite("Signed messages")
struct SignedDataTests {
    /// The content itself is signed. `-noattr`
    static let plain =
        Base64.standard.decode(
            "MIIC2wYJKoZIhvcNAQcCoIICzDCCAsgCAQExDTALBglghkgBZQMEAgEwIAYJKoZIhvcNAQcBoBMEEXNpZ25lZCBieSBPcGVu"
                + "U1NMoIIB0zCCAc8wggF2oAMCAQICFHQgdSTC5j3twkviagDJyDHooXzfMAoGCCqGSM49BAMCMDcxFDASBgNVBAoMC0Fzc2F5"
                + "IFRlc3RzMR8wHQYDVQQDDBZDTVMgd3JpdHRlbiBieSBPcGVuU1NMMB4XDTI2MTEyMTE1MjgyOVoXDTM2MTExODE1MjgyOVow"
                + "NzEUMBIGA1UECgwLQXNzYXkgVGVzdHMxHzAdBgNVBAMMFkNNUyB3cml0dGVuIGJ5IE9wZW5TU0wwWTATBgcqhkjOPQIBBggq"
                + "hkjOPQMBBwNCAARq/1Hj3BUOd4GwV1Ku6Y4OpLR7GZt1EAtODs5Gdke6rNBp3qoSOAc7nPtdRSkdtxW6BUR4za34q+PhYeVf"
                + "XJaSo2AwXjAdBgNVHQ4EFgQUjaKp5NG/o4P+BggJ2nDCkDLtAiMwHwYDVR0jBBgwFoAUjaKp5NG/o4P+BggJ2nDCkDLtAiMw"
                + "DwYDVR0TAQH/BAUwAwEB/zALBgNVHQ8EBAMCB4AwCgYIKoZIzj0EAwIDRwAwRAIgfJpPFlOapYpCtvrKlVCE6RWOMw+2Lf+r"
                + "/AsNVhOl07wCIC8MaJumpsP4Kj//oTt+Nv84wO/WJTTw7txJ4ZFFfW2mMYG6MIG3AgEBME8wNzEUMBIGA1UECgwLQXNzYXkg"
                + "VGVzdHMxHzAdBgNVBAMMFkNNUyB3cml0dGVuIGJ5IE9wZW5TU0wCFHQgdSTC5j3twkviagDJyDHooXzfMAsGCWCGSAFlAwQC"
                + "ATAKBggqhkjOPQQDAgRIMEYCIQDJMjJsjOBBd0MUwEHMIq028M/TFY0vrA7W8FJLoAl9IgIhALzmiEE8GJIzh6OxkRrEJoeT"
                + "bq+EdbxVBHRMmpJIIupo") ?? []

    /// Attributes are signed; indefinite lengths and pieces. `-stream -nosmimecap`
    static let streamed =
        Base64.standard.decode(
            "MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcBoIAkgAQRc2lnbmVkIGJ5IE9wZW5TU0wA"
                + "AAAAAACgggHTMIIBzzCCAXagAwIBAgIUdCB1JMLmPe3CS+JqAMnIMeihfN8wCgYIKoZIzj0EAwIwNzEUMBIGA1UECgwLQXNz"
                + "YXkgVGVzdHMxHzAdBgNVBAMMFkNNUyB3cml0dGVuIGJ5IE9wZW5TU0wwHhcNMjYxMTIxMTUyODI5WhcNMzYxMTE4MTUyODI5"
                + "WjA3MRQwEgYDVQQKDAtBc3NheSBUZXN0czEfMB0GA1UEAwwWQ01TIHdyaXR0ZW4gYnkgT3BlblNTTDBZMBMGByqGSM49AgEG"
                + "CCqGSM49AwEHA0IABGr/UePcFQ53gbBXUq7pjg6ktHsZm3UQC04OzkZ2R7qs0GneqhI4Bzuc+11FKR23FboFRHjNrfir4+Fh"
                + "5V9clpKjYDBeMB0GA1UdDgQWBBSNoqnk0b+jg/4GCAnacMKQMu0CIzAfBgNVHSMEGDAWgBSNoqnk0b+jg/4GCAnacMKQMu0C"
                + "IzAPBgNVHRMBAf8EBTADAQH/MAsGA1UdDwQEAwIHgDAKBggqhkjOPQQDAgNHADBEAiB8mk8WU5qlikK2+sqVUITpFY4zD7Yt"
                + "/6v8Cw1WE6XTvAIgLwxom6amw/gqP/+hO342/zjA79YlNPDu3EnhkUV9baYxggEkMIIBIAIBATBPMDcxFDASBgNVBAoMC0Fz"
                + "c2F5IFRlc3RzMR8wHQYDVQQDDBZDTVMgd3JpdHRlbiBieSBPcGVuU1NMAhR0IHUkwuY97cJL4moAycgx6KF83zALBglghkgB"
                + "ZQMEAgGgaTAYBgkqhkiG9w0BCQMxCwYJKoZIhvcNAQcBMBwGCSqGSIb3DQEJBTEPFw0yNjExMjExNTI4MjlaMC8GCSqGSIb3"
                + "DQEJBDEiBCB8aqftg/cDWupSGwipy8jPvWgkxlieZO4gP0gNFnOEqDAKBggqhkjOPQQDAgRGMEQCIF4FRb8qFisYoOl8HdOj"
                + "BNqhSmk1BdwqcB4ZZZX1u/QkAiB5bqWCnqq5cNXx8Xx78GnfwjLvy8H9Ecu0Wm/PZbIHrQAAAAAAAA==") ?? []

    /// The signer is named by the identifier of its key. `-keyid -nosmimecap`
    static let byKeyID =
        Base64.standard.decode(
            "MIIDCgYJKoZIhvcNAQcCoIIC+zCCAvcCAQMxDTALBglghkgBZQMEAgEwIAYJKoZIhvcNAQcBoBMEEXNpZ25lZCBieSBPcGVu"
                + "U1NMoIIB0zCCAc8wggF2oAMCAQICFHQgdSTC5j3twkviagDJyDHooXzfMAoGCCqGSM49BAMCMDcxFDASBgNVBAoMC0Fzc2F5"
                + "IFRlc3RzMR8wHQYDVQQDDBZDTVMgd3JpdHRlbiBieSBPcGVuU1NMMB4XDTI2MTEyMTE1MjgyOVoXDTM2MTExODE1MjgyOVow"
                + "NzEUMBIGA1UECgwLQXNzYXkgVGVzdHMxHzAdBgNVBAMMFkNNUyB3cml0dGVuIGJ5IE9wZW5TU0wwWTATBgcqhkjOPQIBBggq"
                + "hkjOPQMBBwNCAARq/1Hj3BUOd4GwV1Ku6Y4OpLR7GZt1EAtODs5Gdke6rNBp3qoSOAc7nPtdRSkdtxW6BUR4za34q+PhYeVf"
                + "XJaSo2AwXjAdBgNVHQ4EFgQUjaKp5NG/o4P+BggJ2nDCkDLtAiMwHwYDVR0jBBgwFoAUjaKp5NG/o4P+BggJ2nDCkDLtAiMw"
                + "DwYDVR0TAQH/BAUwAwEB/zALBgNVHQ8EBAMCB4AwCgYIKoZIzj0EAwIDRwAwRAIgfJpPFlOapYpCtvrKlVCE6RWOMw+2Lf+r"
                + "/AsNVhOl07wCIC8MaJumpsP4Kj//oTt+Nv84wO/WJTTw7txJ4ZFFfW2mMYHpMIHmAgEDgBSNoqnk0b+jg/4GCAnacMKQMu0C"
                + "IzALBglghkgBZQMEAgGgaTAYBgkqhkiG9w0BCQMxCwYJKoZIhvcNAQcBMBwGCSqGSIb3DQEJBTEPFw0yNjExMjExNTI4Mjla"
                + "MC8GCSqGSIb3DQEJBDEiBCB8aqftg/cDWupSGwipy8jPvWgkxlieZO4gP0gNFnOEqDAKBggqhkjOPQQDAgRHMEUCIQDs7DG8"
                + "xIhAGprxqGJwH4j7Vx78vkjYiA0hQf4UzLHAjgIgcKrhLCr42DMgBSi1ovlRMGIMofGk3Qs8Wa/t/SVL1/8=") ?? []

    static func content(_ message: [UInt8]) throws(Rejection) -> String {
        let message = try SignedData(parsing: message[...])
        let chain = try message.signerChain(limit: 3)
        try message.verify(by: try PublicKey(chain.leaf.publicKey))
        return String(decoding: message.content, as: UTF8.self)
    }

    @Test(
        "Messages of OpenSSL are read and verified, with and without attributes, in BER and in DER",
        arguments: [plain, streamed])
    func genuine(_ message: [UInt8]) throws {
        #expect(try Self.content(message) == "signed by OpenSSL")
        let read = try SignedData(parsing: message[...])
        #expect((read.signer.signedAttributes == nil) == (message == Self.plain))
        #expect(try read.signerChain(limit: 3).authorities.isEmpty)
    }

    @Test("A message with changed content, attributes or signature is refused", arguments: [plain, streamed])
    func changed(_ message: [UInt8]) throws {
        let read = try SignedData(parsing: message[...])
        for part in [read.content, read.signer.signature] {
            let start = try #require(Self.place(of: part, in: message))
            var mutant = message
            // After the heads of the signature's two numbers.
            mutant[start + 10] ^= 1
            #expect(throws: Rejection(.badSignature, "")) { try Self.content(mutant) }
        }
        guard let attributes = read.signer.signedAttributes else { return }
        let digest = try #require(Self.place(of: attributes.messageDigest, in: message))
        var mutant = message
        mutant[digest] ^= 1
        #expect(throws: Rejection(.badSignature, "")) { try Self.content(mutant) }
    }

    @Test("A message whose signer is not named by its issuer is refused")
    func keyIdentifier() {
        #expect(throws: Rejection(.malformedCMS, "")) { try Self.content(Self.byKeyID) }
    }

    @Test("A message that does not name the signer's digest is refused", arguments: [plain, streamed])
    func digests(_ message: [UInt8]) throws {
        // SET { SEQUENCE { sha256 } } in these messages: the first is the message's, the second the signer's.
        let named: [UInt8] = [0x31, 0x0D, 0x30, 0x0B, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
        let place = try #require(Self.place(of: named[...], in: message))
        for (offset, byte) in [(named.count - 1, 0x03), (0, 0x30), (2, 0x31), (3, 0x0A), (4, 0x04)] as [(Int, UInt8)] {
            var mutant = message
            mutant[place + offset] = byte
            #expect(throws: Rejection(.malformedCMS, ""), "\(offset)") { try Self.content(mutant) }
        }
    }

    /// Every bit outside the certificate, which the chain authenticates, is checked, except one: the unsigned version, which is
    /// 1 or 3.
    @Test("A message with any bit changed is refused", arguments: [plain, streamed])
    func everyBit(_ message: [UInt8]) throws {
        let certificate = try #require(try SignedData(parsing: message[...]).certificates.first).der
        let start = try #require(Self.place(of: certificate, in: message))
        let version = try #require(Self.place(of: [0x02, 0x01, 0x01, 0x31, 0x0D], in: message)) + 2
        var taken: [[Int]] = []
        for place in message.indices where !(start..<start + certificate.count).contains(place) {
            for bit in 0..<8 {
                var mutant = message
                mutant[place] ^= 1 << bit
                if (try? Self.content(mutant)) != nil { taken.append([place, bit]) }
            }
        }
        #expect(taken == [[version, 1]])
    }

    @Test("A message cut anywhere is malformed", arguments: [plain, streamed])
    func prefixes(_ message: [UInt8]) {
        for length in message.indices {
            #expect(throws: Rejection(.malformedCMS, "")) { try SignedData(parsing: message.prefix(length)) }
        }
    }

    /// The offset of bytes in a message.
    static func place(of part: ArraySlice<UInt8>, in message: [UInt8]) -> Int? {
        (0...max(0, message.count - part.count)).first { message[$0...].starts(with: part) }
    }
}
