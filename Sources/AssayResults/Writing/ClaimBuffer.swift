import AssayCore

/// Bytes that are written piece behind piece, in memory of their own. An array that is appended to asks at each piece whether it is shared, and
/// through a general function: with a hundred pieces of ten bytes that costs more than the bytes.
struct ClaimBuffer: ~Copyable {
    private var memory: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0

    /// - Parameter capacity: enough for most, so that it is allocated once.
    init(capacity: Int) { (memory, self.capacity) = (.allocate(capacity: capacity), capacity) }

    deinit { memory.deallocate() }

    /// What was written.
    var bytes: [UInt8] { [UInt8](UnsafeBufferPointer(start: memory, count: count)) }

    @inline(__always)
    mutating func write(_ piece: StaticString) { write(piece.utf8Start, piece.utf8CodeUnitCount) }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { write($0) }
    }

    /// In decimal digits.
    mutating func write(_ number: Int64) {
        // The longest has 20 characters.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var (rest, first) = (number.magnitude, digits.count)
            repeat {
                first &-= 1
                digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                first &-= 1
                digits[first] = UInt8(ascii: "-")
            }
            write(UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    mutating func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0) } }

    mutating func write(base64url bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            reserve((bytes.count + 2) / 3 * 4)
            count &+= Base64.url.encode(bytes, into: free)
        }
    }

    mutating func write(hex bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            reserve(2 * bytes.count)
            count &+= Hex.encode(bytes, into: free)
        }
    }

    private mutating func write(_ piece: UnsafeBufferPointer<UInt8>) {
        guard let start = piece.baseAddress else { return }
        write(start, piece.count)
    }

    @inline(__always)
    private mutating func write(_ piece: UnsafePointer<UInt8>, _ size: Int) {
        reserve(size)
        UnsafeMutableRawPointer(memory + count).copyMemory(from: piece, byteCount: size)
        count &+= size
    }

    private var free: UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(start: memory + count, count: capacity &- count)
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    private mutating func grow(_ more: Int) {
        capacity = 2 * (count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: memory, count: count)
        memory.deallocate()
        memory = larger
    }
}
