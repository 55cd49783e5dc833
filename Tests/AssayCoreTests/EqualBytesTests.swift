import AssayCore
import AssayTesting
import Testing

@Suite("Equal bytes")
struct EqualBytesTests {
    @Test("Bytes are equal if they have one length and each byte is the same, wherever they lie")
    func equality() {
        var random = SeededNumbers(seed: 41)
        for count in [0, 1, 7, 8, 15, 16, 32, 33, 1000] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // A copy with memory of its own.
            #expect(bytes.equals(bytes.map { $0 }))
            #expect(bytes.equals(bytes))
            #expect(!bytes.equals(bytes + [0]))
            #expect(!(bytes + [0]).equals(bytes))
            for index in Set([0, count / 2, count - 1]) where bytes.indices.contains(index) {
                var other = bytes
                other[index] ^= 1
                #expect(!bytes.equals(other), "byte \(index) of \(count)")
            }
        }
    }

    @Test("A buffer without memory is equal to empty ones only")
    func empty() {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(none.equals(none))
        [UInt8](repeating: 7, count: 3).withUnsafeBytes { bytes in
            #expect(none.equals(UnsafeRawBufferPointer(rebasing: bytes[..<0])))
            #expect(UnsafeRawBufferPointer(rebasing: bytes[1..<1]).equals(none))
            #expect(!none.equals(bytes) && !bytes.equals(none))
        }
    }

    @Test("Devices and their keys are told apart by every byte of their names, and keys by their app too")
    func names() throws {
        let bytes = [UInt8](0..<16)
        let id = try #require(DeviceID(bytes: bytes))
        #expect(id == DeviceID(bytes: bytes.map { $0 }))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            #expect(id != DeviceID(bytes: other), "byte \(index)")
        }
        let (app, second) = (try #require(AppID("one")), try #require(AppID("two")))
        #expect(DeviceKey(app: app, keyID: [1, 2]) == DeviceKey(app: app, keyID: [1, 2]))
        #expect(DeviceKey(app: app, keyID: [1, 2]) != DeviceKey(app: app, keyID: [1, 3]))
        #expect(DeviceKey(app: app, keyID: [1, 2]) != DeviceKey(app: app, keyID: [1, 2, 0]))
        #expect(DeviceKey(app: app, keyID: [1, 2]) != DeviceKey(app: second, keyID: [1, 2]))
    }
}
