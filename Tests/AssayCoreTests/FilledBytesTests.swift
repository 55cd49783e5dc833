import Testing

@testable import AssayCore

@Suite("Filled bytes")
struct FilledBytesTests {
    @Test("Bytes are those that were written, from none to all that there is space for")
    func filled() {
        for capacity in [0, 1, 15, 256, 70_000] {
            for count in [0, capacity / 2, capacity] {
                let bytes = [UInt8].filled(capacity: capacity) { memory, written in
                    #expect(memory.count == capacity && written == 0)
                    for index in 0..<count { memory[index] = UInt8(truncatingIfNeeded: index) }
                    written = count
                }
                #expect(bytes == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
            }
        }
    }
}
