import AssayCore
import Crypto
import Testing

@testable import AssayService

@Suite("Names and seals of the index of look-ups")
struct PayloadKeysTests {
    private let keys = PayloadKeys(secret: [UInt8](repeating: 1, count: 32))
    private let hash = [UInt8](repeating: 2, count: 32)

    @Test("A name is the HMAC over tag, app and hash with their lengths, and another one for each secret, app and hash")
    func names() {
        var fields = FieldDigest("assay.lookup.name.v1")
        fields.append("camera")
        fields.append(hash)
        let secret = SymmetricKey(data: [UInt8](repeating: 1, count: 32))
        let expected = Array(HMAC<SHA256>.authenticationCode(for: fields.finalize(), using: secret))
        #expect(keys.name(of: hash, in: .camera) == expected && expected.count == 32)
        let other = PayloadKeys(secret: [UInt8](repeating: 3, count: 32))
        let names = [
            expected, keys.name(of: hash, in: .notes), other.name(of: hash, in: .camera),
            keys.name(of: [UInt8](repeating: 4, count: 32), in: .camera),
        ]
        #expect(Set(names).count == names.count)
    }

    @Test("What is sealed opens for the same file of the same app alone, and not if a byte was changed")
    func seals() throws {
        let content: [UInt8] = [1, 2, 3]
        let sealed = try keys.seal(content, under: hash, in: .camera)
        #expect(sealed.count == content.count + PayloadKeys.sealLength)
        #expect(keys.open(sealed, under: hash, in: .camera) == content)
        #expect(keys.open(sealed, under: hash, in: .notes) == nil, "another app")
        #expect(keys.open(sealed, under: [UInt8](repeating: 4, count: 32), in: .camera) == nil, "another file")
        #expect(PayloadKeys(secret: [UInt8](repeating: 3, count: 32)).open(sealed, under: hash, in: .camera) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(keys.open(changed, under: hash, in: .camera) == nil, "byte \(index)")
        }
        #expect(keys.open([], under: hash, in: .camera) == nil)
        #expect(try keys.seal(content, under: hash, in: .camera) != sealed, "each has a nonce of its own")
    }
}
