import AssayCertificates
import AssayCore
import AssayEncoding
import Testing

@testable import AppAttest

@Suite("Parts of App Attest evidence")
struct PartsTests {
    static func text(_ text: String) -> [UInt8] {
        let count = text.utf8.count
        return (count < 24 ? [0x60 | UInt8(count)] : [0x78, UInt8(count)]) + Array(text.utf8)
    }

    static func extensions(_ bytes: [UInt8], declared: Bool = false) throws(Rejection) -> AuthenticatorExtensions {
        try AuthenticatorExtensions(parsing: bytes[...], isDeclared: declared)
    }

    @Test("Extensions: the category is an integer or four bytes, under both names")
    func categories() throws {
        let (long, short) = (Self.text("apple_validation_category_01"), Self.text("validationCategory"))
        #expect(try Self.extensions([0xA1] + long + [0x04]).validationCategory == 4)
        #expect(try Self.extensions([0xA1] + long + [0x1A, 0xFF, 0xFF, 0xFF, 0xFF]).validationCategory == .max)
        #expect(try Self.extensions([0xA1] + long + [0x44, 1, 2, 3, 4]).validationCategory == 0x0403_0201)
        #expect(try Self.extensions([0xA1] + short + [0x02]).validationCategory == 2)
        #expect(try Self.extensions([0xA2] + short + [0x02] + long + [0x03]).validationCategory == 3)
        for bad in [
            [0x20], [0x1B, 0, 0, 0, 1, 0, 0, 0, 0], [0x43, 1, 0, 0], [0x45, 1, 0, 0, 0, 0], [0x61, 0x34], [0xF6], [0x80],
            [0x40],
        ] as [[UInt8]] {
            #expect(throws: Rejection(.malformedAuthData, "")) { try Self.extensions([0xA1] + long + bad) }
        }
    }

    @Test("Extensions: exactly one map of text keys, or nothing, whatever the flag says")
    func maps() throws {
        let none = try Self.extensions([])
        #expect(!none.isPresent && none.keys.isEmpty)
        #expect(throws: Rejection(.malformedAuthData, "")) { try Self.extensions([], declared: true) }
        for declared in [true, false] {
            let empty = try Self.extensions([0xA0], declared: declared)
            #expect(empty.isPresent && empty.keys.isEmpty)
            let unknown = try Self.extensions([0xA2] + Self.text("zz") + [0x80] + Self.text("a") + [0xF5], declared: declared)
            #expect(unknown.keys == ["a", "zz"])
            for bad in [
                [0x80], [0x00], [0xA1, 0x01, 0x01], [0xA0, 0xA0], [0xA0, 0x00], [0xBF, 0xFF], [0xA1, 0x41, 0x61, 0x01],
                [0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x01], [0xA1], [0xA1] + Self.text("bundleVersion") + [0x41, 0x31],
            ] as [[UInt8]] {
                #expect(throws: Rejection(.malformedAuthData, "")) { try Self.extensions(bad, declared: declared) }
            }
        }
    }

    @Test("Extensions: a code directory hash is taken as bytes, and another type is not rejected")
    func cdHash() throws {
        let name = Self.text("apple_cd_hash_hash_01")
        #expect(try Self.extensions([0xA1] + name + [0x42, 1, 2]).cdHash?.elementsEqual([1, 2]) == true)
        #expect(try Self.extensions([0xA1] + name + [0x01]).cdHash == nil)
    }

    @Test("COSE key: only the five entries of a P-256 key for ES256 are accepted")
    func coseKey() throws {
        let (x, y) = ([0x58, 0x20] + [UInt8](repeating: 0, count: 32), [0x58, 0x20] + [UInt8](repeating: 9, count: 32))
        func key(_ bytes: [UInt8]) throws(Rejection) -> COSEKey {
            try COSEKey(try CBORReader.parse(bytes[...], code: .malformedAuthData))
        }
        let good = try key([0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + x + [0x22] + y)
        #expect(good.isPoint(([0x04] + [UInt8](repeating: 0, count: 32) + [UInt8](repeating: 9, count: 32))[...]))
        #expect(!good.isPoint(([0x04] + [UInt8](repeating: 9, count: 64))[...]))
        #expect(!good.isPoint([]))
        let bad: [[UInt8]] = [
            [0xA4, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + x,  // y missing
            [0xA5, 0x01, 0x02, 0x03, 0x25, 0x20, 0x01, 0x21] + x + [0x22] + y,  // another algorithm
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x02, 0x21] + x + [0x22] + y,  // another curve
            [0xA5, 0x01, 0x03, 0x03, 0x26, 0x20, 0x01, 0x21] + x + [0x22] + y,  // another key type
            [0xA6, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + x + [0x22] + y + [0x04, 0x80],  // one entry more
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + x + [0x22, 0xF5],  // y as a sign bit
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x1F] + x.dropFirst(3) + [0x22] + y,  // a short coordinate
            [0x80],
        ]
        for bytes in bad { #expect(throws: Rejection(.credentialKeyMismatch, "")) { try key(bytes) } }
    }

    @Test("Nonce extension: exactly 38 bytes of one structure are accepted")
    func nonce() throws {
        let good = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + [UInt8](repeating: 5, count: 32)
        #expect(try NonceExtension(good[...]).nonce.elementsEqual([UInt8](repeating: 5, count: 32)))
        var bad: [[UInt8]] = (0..<good.count).map { Array(good.prefix($0)) }
        bad.append(good + [0])
        for (index, value) in [(0, 0x31), (2, 0xA2), (2, 0x81), (4, 0x03), (1, 0x25), (3, 0x21), (5, 0x1F)] as [(Int, UInt8)] {
            var bytes = good
            bytes[index] = value
            bad.append(bytes)
        }
        bad.append([0x30, 0x23, 0xA1, 0x21, 0x04, 0x1F] + [UInt8](repeating: 5, count: 31))
        bad.append([0x30, 0x26, 0xA1, 0x22, 0x04, 0x20] + [UInt8](repeating: 5, count: 32) + [0x05, 0x00])
        for bytes in bad { #expect(throws: Rejection(.malformedNonceExtension, "")) { try NonceExtension(bytes[...]) } }
        #expect(throws: Rejection(.malformedNonceExtension, "")) { try NonceExtension(nil) }
    }

    @Test("Access control: only the value of macOS is accepted, byte for byte")
    func accessControl() throws {
        let good = AccessControlExtension.macOSValue
        #expect(good.count == 72)
        try AccessControlExtension.requireMacOS(good[...])
        #expect(throws: Rejection(.aclMissing, "")) { try AccessControlExtension.requireMacOS(nil) }
        for bad in [[], good + [0], Array(good.dropLast()), good.map { $0 ^ 1 }] {
            #expect(throws: Rejection(.aclMismatch, "")) { try AccessControlExtension.requireMacOS(bad[...]) }
        }
    }

    @Test("Platform info: readable fields are read, and nothing fails")
    func platformInfo() {
        let version: [UInt8] = [0xBF, 0x8A, 0x78, 0x06, 0x04, 0x04] + Array("17.2".utf8)
        let build: [UInt8] = [0xBF, 0x8A, 0x7B, 0x07, 0x04, 0x05] + Array("21C66".utf8)
        let both = [0x30, UInt8(version.count + build.count)] + version + build
        let info = PlatformInfoExtension(both[...])
        #expect(info.osVersion == "17.2" && info.osBuild == "21C66")
        for length in both.indices { _ = PlatformInfoExtension(both.prefix(length)) }
        #expect(PlatformInfoExtension(nil).osVersion == nil)
        #expect(PlatformInfoExtension([0x30, 0x06, 0xBF, 0x8A, 0x78, 0x02, 0x04, 0x00]).osVersion == nil)
        #expect(PlatformInfoExtension([0x30, 0x07, 0xBF, 0x8A, 0x78, 0x03, 0x04, 0x01, 0xFF]).osVersion == nil)
    }

    @Test("Authenticator data: cut anywhere, it is malformed")
    func authenticatorData() throws {
        let key =
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + [UInt8](repeating: 1, count: 32)
            + [0x22, 0x58, 0x20] + [UInt8](repeating: 2, count: 32)
        let good =
            [UInt8](repeating: 3, count: 32) + [0x40, 0, 0, 0, 0] + Array("appattestdevelop".utf8) + [0, 32]
            + [UInt8](repeating: 4, count: 32) + key
        #expect(good.count == 164)
        let (data, credential) = try AuthenticatorData.attestation(good[...])
        #expect(data.flags == .attestedCredential && data.signCount == 0 && data.extensionBytes.isEmpty)
        #expect(AppAttestEnvironment(aaguid: credential.aaguid) == .development)
        for length in good.indices {
            #expect(throws: Rejection(.malformedAuthData, "")) { try AuthenticatorData.attestation(good.prefix(length)) }
        }
        for length in [0, 31, 33, 65_535] {
            var bytes = good
            (bytes[53], bytes[54]) = (UInt8(length >> 8), UInt8(length & 0xFF))
            #expect(throws: Rejection(.malformedAuthData, "")) { try AuthenticatorData.attestation(bytes[...]) }
        }
        #expect(try AuthenticatorData.attestation((good + [0xA0])[...]).0.extensionBytes == [0xA0])
    }

    @Test("Environment: only two constants are accepted")
    func environments() {
        #expect(AppAttestEnvironment(aaguid: Array("appattest".utf8)[...] + [0, 0, 0, 0, 0, 0, 0]) == .production)
        for text in ["appattestsandbox", "appattest       ", "appattestdevelo", "appattestdevelopp", ""] {
            #expect(AppAttestEnvironment(aaguid: Array(text.utf8)[...]) == nil)
        }
        #expect(AppAttestEnvironment(aaguid: [UInt8](repeating: 0, count: 16)[...]) == nil)
    }

    @Test("Identity: if one App ID is configured for both platforms, the Mac's rules apply")
    func identities() {
        let phone = AppAttestIdentity(appID: "A.b", platform: .iOS)
        let mac = AppAttestIdentity(appID: "A.b", platform: .macOS)
        #expect([phone, mac].named(phone.rpIDHash[...]) == mac)
        #expect([phone].named(phone.rpIDHash[...]) == phone)
        #expect([phone, mac].named([]) == nil)
        #expect(AppAttestIdentity(appID: "A.B", platform: .iOS).rpIDHash != phone.rpIDHash)
        #expect(AppAttestIdentity(rpIDHash: [1], platform: .iOS) == nil)
    }
}
