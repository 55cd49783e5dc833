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
        guard let (flags, length) = try prefix(of: input),
            let message = input.getSlice(at: input.readerIndex + EnvelopePrefix.byteCount, length: length)
        else {
            // A copy, so that a few bytes do not keep a long read buffer in memory.
            partial.writeBytes(input.readableBytesView)
            input.moveReaderIndex(to: input.writerIndex)
            return nil
        }
        input.moveReaderIndex(forwardBy: EnvelopePrefix.byteCount + length)
        return Envelope(flags: flags, message: message)
    }

    private mutating func complete(from input: inout ByteBuffer) throws(RPCError) -> Envelope? {
        take(EnvelopePrefix.byteCount - partial.readableBytes, from: &input)
        guard let (flags, length) = try prefix(of: partial) else { return nil }
        take(EnvelopePrefix.byteCount + length - partial.readableBytes, from: &input)
        guard partial.readableBytes == EnvelopePrefix.byteCount + length else { return nil }
        var message = partial
        partial = ByteBuffer()
        message.moveReaderIndex(forwardBy: EnvelopePrefix.byteCount)
        return Envelope(flags: flags, message: message)
    }

    /// The flags, and the length, which was judged; `nil` while the prefix is not whole.
    private func prefix(of buffer: ByteBuffer) throws(RPCError) -> (flags: UInt8, length: Int)? {
        guard let prefix = buffer.withUnsafeReadableBytes({ EnvelopePrefix($0) }) else { return nil }
        guard let length = Int(exactly: prefix.length), length <= limit else { throw .messageTooLarge }
        return (prefix.flags, length)
    }

    private mutating func take(_ count: Int, from input: inout ByteBuffer) {
        guard count > 0, var piece = input.readSlice(length: min(count, input.readableBytes)) else { return }
        partial.writeBuffer(&piece)
    }
}
