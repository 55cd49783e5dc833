/// Messages behind five bytes, as gRPC and Connect's streams have them: flags, and the length as a big-endian number.
public struct Envelopes: Sendable {
    private var bytes: [UInt8]

    public init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// Whether nothing is left, not even a part of an envelope.
    public var isEmpty: Bool { bytes.isEmpty }

    public static func wrap(_ message: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        [flags] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
    }

    public mutating func add(_ more: [UInt8]) { bytes += more }

    /// Takes the next one; `nil` if it is not whole.
    public mutating func next() -> (flags: UInt8, message: [UInt8])? {
        guard bytes.count >= 5 else { return nil }
        let end = bytes[1..<5].reduce(0) { $0 << 8 | Int($1) } + 5
        guard bytes.count >= end else { return nil }
        defer { bytes.removeFirst(end) }
        return (bytes[0], Array(bytes[5..<end]))
    }
}
