import AssayCore
import Crypto
import Testing

@testable import AssayResults

@Suite("Pairwise identifiers")
struct PairwiseIdentifierTests {
    private let secret = [UInt8](repeating: 7, count: 32)

    private func name(_ audience: String, _ bytes: [UInt8], secret: [UInt8]? = nil) throws -> String {
        PairwiseIdentifier(secret: secret ?? self.secret, audience: audience)
            .name(of: try found(DeviceID(bytes: bytes), "a device"))
    }

    @Test("A name is the HMAC of label, length, audience and device")
    func definition() throws {
        // Computed with Python's hmac.
        let name = try name("https://uploads.example.com", Array(0..<16))
        #expect(name == "lKQe24-f0UGU1fL49IAV6bT3juoABVGPEeGgkGQU5l0")
    }

    @Test("Two audiences know a device by different names, two devices have different names, and so have two ledgers")
    func different() throws {
        let names = [
            try name("https://a.example", Array(0..<16)), try name("https://b.example", Array(0..<16)),
            try name("https://a.example", Array(1..<17)),
            try name("https://a.example", Array(0..<16), secret: [UInt8](repeating: 8, count: 32)),
        ]
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.count == 43 })
    }

    @Test("An audience that is the beginning of another is not taken for it, whatever the device")
    func boundaries() throws {
        // "ab" and a device that begins with "c" have the bytes of "abc" before them; the lengths differ.
        let shorter = try name("https://a.example/ab", Array("c".utf8) + [UInt8](repeating: 0, count: 15))
        let longer = try name("https://a.example/abc", [UInt8](repeating: 0, count: 16))
        let empty = try name("", Array("https://a.exampl".utf8))
        #expect(Set([shorter, longer, empty]).count == 3)
        // Without its length the audience and the device would be one text with two readings.
        let key = SymmetricKey(data: secret)
        let label = Array("assay.pairwise.v1".utf8)
        let unframed = HMAC<SHA256>.authenticationCode(
            for: label + Array("https://a.example/abc".utf8) + [UInt8](repeating: 0, count: 15), using: key)
        #expect(Base64.url.encode(Array(unframed)) != shorter)
    }
}
