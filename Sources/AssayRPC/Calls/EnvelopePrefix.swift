/// What stands before a message in a body of several, as gRPC, gRPC-Web and the streams of Connect have them: a byte of flags, and the length of the
/// message in 4 bytes, big-endian.
package struct EnvelopePrefix: Hashable, Sendable {
    package static let byteCount = 5

    /// The message is compressed.
    package static let compressed: UInt8 = 0x01
    /// Connect: the message is the end of the stream, as JSON.
    package static let endOfStream: UInt8 = 0x02
    /// gRPC-Web: the message is the trailers, as text.
    package static let trailers: UInt8 = 0x80

    package let flags: UInt8
    /// That of the message, in bytes.
    package let length: UInt32

    /// - Parameter length: below 4 GiB.
    package init(flags: UInt8, length: Int) { (self.flags, self.length) = (flags, UInt32(clamping: length)) }

    /// Reads it at the beginning of some bytes; `nil` while it is not whole.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        flags = bytes[0]
        length = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
    }
}
