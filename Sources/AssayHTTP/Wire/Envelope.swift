package import NIOCore

/// One message in a body of several, as gRPC, gRPC-Web and the streams of Connect have them: a byte of flags, the length of the message in
/// 4 bytes, big-endian, and the message.
package struct Envelope {
    package let flags: UInt8
    package let message: ByteBuffer
}

extension Envelope {
    /// The bytes before the message.
    static let prefixBytes = 5

    /// The message is compressed.
    static let compressed: UInt8 = 0x01
    /// Connect: the message is the end of the stream, as JSON.
    static let endOfStream: UInt8 = 0x02
    /// gRPC-Web: the message is the trailers, as text.
    static let trailers: UInt8 = 0x80
}

extension ByteBuffer {
    /// - Parameter message: at most 4 GiB.
    mutating func writeEnvelope(flags: UInt8, _ message: [UInt8]) {
        reserveCapacity(minimumWritableBytes: Envelope.prefixBytes + message.count)
        writeInteger(flags)
        writeInteger(UInt32(clamping: message.count))
        writeBytes(message)
    }
}
