import AssayRPC
import NIOCore

/// Splits a stream's bytes into Connect's envelopes, which have an ``AssayRPC/EnvelopePrefix`` each.
struct EnvelopeSplitter {
    struct Envelope {
        /// Whether it is the stream's last: JSON in place of a message.
        let isEnd: Bool
        let message: ByteBuffer
    }

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
        guard let prefix = held.withUnsafeReadableBytes({ EnvelopePrefix($0) }) else { return nil }
        guard prefix.flags == 0 || prefix.flags == EnvelopePrefix.endOfStream else { throw .protocolBroken }
        guard let length = Int(exactly: prefix.length), length <= limit else { throw .answerTooLong }
        guard let message = held.getSlice(at: held.readerIndex + EnvelopePrefix.byteCount, length: length) else { return nil }
        held.moveReaderIndex(forwardBy: EnvelopePrefix.byteCount + length)
        return Envelope(isEnd: prefix.flags == EnvelopePrefix.endOfStream, message: message)
    }

    /// The one envelope of a request.
    static func envelope(_ message: [UInt8]) -> ByteBuffer {
        let prefix = EnvelopePrefix(flags: 0, length: message.count)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(EnvelopePrefix.byteCount + message.count)
        buffer.writeMultipleIntegers(prefix.flags, prefix.length)
        buffer.writeBytes(message)
        return buffer
    }
}
