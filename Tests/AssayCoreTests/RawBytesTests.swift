import AssayCore
import Testing

@Suite("Comparison of raw bytes")
struct RawBytesTests {
    private func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { one.hasBytes(of: $0) } }
    }

    @Test("Bytes are equal to the same bytes in other memory; a change of one byte or of the length makes them differ")
    func equality() {
        for count in [0, 1, 7, 8, 9, 63, 64, 65, 700] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            #expect(areEqual(bytes, bytes) && areEqual(bytes, bytes.map { $0 }), "\(count)")
            #expect(!areEqual(bytes, bytes + [0]) && !areEqual(bytes + [0], bytes), "\(count)")
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 0x80
                #expect(!areEqual(bytes, changed), "\(count) bytes, \(index)")
            }
        }
    }

    @Test("A buffer without memory is equal to empty ones only")
    func empty() {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(none.hasBytes(of: none))
        [UInt8](repeating: 7, count: 3).withUnsafeBytes { bytes in
            #expect(none.hasBytes(of: UnsafeRawBufferPointer(rebasing: bytes[..<0])))
            #expect(UnsafeRawBufferPointer(rebasing: bytes[1..<1]).hasBytes(of: none))
            #expect(!none.hasBytes(of: bytes) && !bytes.hasBytes(of: none))
        }
    }
}
