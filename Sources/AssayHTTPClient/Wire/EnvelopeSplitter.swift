import AssayRPC
import NIOCore

/// Splits a stream's bytes into Connect's envelopes: a byte of flags, the length in four bytes, big-endian, and the message.
struct EnvelopeSplitter {
    struct Envelope {
        /// Whether it is the stream's last: JSON in place of a message.
        let isEnd: Bool
        let message: ByteBuffer
    }

    private static let endFlag: UInt8 = 2

    let limit: Int
    private var held = ByteBuffer()

    /// - Parameter limit: of a message, in bytes.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ chunk: ByteBuffer) {
        var chunk = chunk
        held.discardReadBytes()
        held.writeBuffer(&chunk)
    }

    /// The next envelope that is there as a whole. Throws for other flags, a compressed message among them, which was not asked for, and
    /// for a message that is too long, before it is there.
    mutating func next() throws(RPCError) -> Envelope? {
        let start = held.readerIndex
        guard let flags = held.getInteger(at: start, as: UInt8.self),
            let length = held.getInteger(at: start + 1, as: UInt32.self)
        else { return nil }
        guard flags == 0 || flags == Self.endFlag else { throw .protocolBroken }
        guard Int(length) <= limit else { throw .answerTooLong }
        guard held.readableBytes >= 5 + Int(length) else { return nil }
        held.moveReaderIndex(forwardBy: 5)
        guard let message = held.readSlice(length: Int(length)) else { return nil }
        return Envelope(isEnd: flags == Self.endFlag, message: message)
    }

    /// The one envelope of a request.
    static func envelope(_ message: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(5 + message.count)
        buffer.writeInteger(UInt8(0))
        buffer.writeInteger(UInt32(clamping: message.count))
        buffer.writeBytes(message)
        return buffer
    }
}
