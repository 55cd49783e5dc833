package import AssayRPC
package import NIOCore

/// Cuts a body into envelopes. It judges the length alone, and reports the flags as they are.
///
/// A message that has arrived whole is a slice of what was read, without a copy. Only one that arrives in parts is collected, and only up to its
/// length: the length is judged before any byte that follows it is kept.
package struct EnvelopeReader {
    /// The longest message, without its prefix.
    private let limit: Int
    /// The beginning of an envelope, its prefix included.
    private var partial = ByteBuffer()

    package init(limit: Int) { self.limit = limit }

    /// Bytes of an envelope that has arrived in part.
    var heldBytes: Int { partial.readableBytes }

    /// Whether no envelope has arrived in part: a body may end here.
    package var isEmpty: Bool { partial.readableBytes == 0 }

    /// The next whole envelope, or nil when `input` is used up. After an error the rest of the body cannot be read.
    package mutating func next(from input: inout ByteBuffer) throws(RPCError) -> Envelope? {
        if !isEmpty { return try complete(from: &input) }
        guard let prefix = try Prefix(of: input, limit: limit),
            let message = input.getSlice(at: input.readerIndex + Envelope.prefixBytes, length: prefix.length)
        else {
            // A copy, so that a few bytes do not keep a long read buffer in memory.
            partial.writeBytes(input.readableBytesView)
            input.moveReaderIndex(to: input.writerIndex)
            return nil
        }
        input.moveReaderIndex(forwardBy: Envelope.prefixBytes + prefix.length)
        return Envelope(flags: prefix.flags, message: message)
    }

    private mutating func complete(from input: inout ByteBuffer) throws(RPCError) -> Envelope? {
        take(Envelope.prefixBytes - partial.readableBytes, from: &input)
        guard let prefix = try Prefix(of: partial, limit: limit) else { return nil }
        take(Envelope.prefixBytes + prefix.length - partial.readableBytes, from: &input)
        guard partial.readableBytes == Envelope.prefixBytes + prefix.length else { return nil }
        var message = partial
        partial = ByteBuffer()
        message.moveReaderIndex(forwardBy: Envelope.prefixBytes)
        return Envelope(flags: prefix.flags, message: message)
    }

    private mutating func take(_ count: Int, from input: inout ByteBuffer) {
        guard count > 0, var piece = input.readSlice(length: min(count, input.readableBytes)) else { return }
        partial.writeBuffer(&piece)
    }
}

/// The first bytes of an envelope, whose length was judged.
private struct Prefix {
    let flags: UInt8
    let length: Int

    /// Nil while the prefix is not whole.
    init?(of buffer: ByteBuffer, limit: Int) throws(RPCError) {
        guard let flags = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self),
            let announced = buffer.getInteger(at: buffer.readerIndex + 1, as: UInt32.self)
        else { return nil }
        guard let length = Int(exactly: announced), length <= limit else { throw .messageTooLarge }
        (self.flags, self.length) = (flags, length)
    }
}
