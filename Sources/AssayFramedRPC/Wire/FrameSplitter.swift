package import NIOCore

/// Cuts a stream of bytes into frames: a 4-byte big-endian length, then that many bytes.
///
/// A complete frame is a slice of what was read, without a copy. Only a frame that arrives in parts is collected, and only up to its
/// length: the length is checked before any byte that follows it is kept.
package struct FrameSplitter {
    static let lengthBytes = 4

    /// The longest frame accepted, without its length.
    let limit: Int
    /// The beginning of a frame, its length included.
    private var partial = ByteBuffer()

    package init(limit: Int) { self.limit = limit }

    /// Bytes kept of the partial frame.
    var heldBytes: Int { partial.readableBytes }

    /// Drops the partial frame.
    mutating func reset() { partial = ByteBuffer() }

    /// The next complete frame without its length, or nil when `incoming` is used up.
    package mutating func next(from incoming: inout ByteBuffer) throws(GoAwayReason) -> ByteBuffer? {
        if partial.readableBytes > 0 { return try complete(from: &incoming) }
        guard let length = try announcedLength(in: incoming),
            let frame = incoming.getSlice(at: incoming.readerIndex + Self.lengthBytes, length: length)
        else {
            // A copy, so that a few bytes do not keep the large read buffer alive.
            partial.writeBytes(incoming.readableBytesView)
            incoming.moveReaderIndex(to: incoming.writerIndex)
            return nil
        }
        incoming.moveReaderIndex(forwardBy: Self.lengthBytes + length)
        return frame
    }

    private mutating func complete(from incoming: inout ByteBuffer) throws(GoAwayReason) -> ByteBuffer? {
        take(Self.lengthBytes - partial.readableBytes, from: &incoming)
        guard let length = try announcedLength(in: partial) else { return nil }
        take(Self.lengthBytes + length - partial.readableBytes, from: &incoming)
        guard partial.readableBytes == Self.lengthBytes + length else { return nil }
        var frame = partial
        partial = ByteBuffer()
        frame.moveReaderIndex(forwardBy: Self.lengthBytes)
        return frame
    }

    private mutating func take(_ count: Int, from incoming: inout ByteBuffer) {
        guard count > 0, var piece = incoming.readSlice(length: min(count, incoming.readableBytes)) else { return }
        partial.writeBuffer(&piece)
    }

    /// The checked length at the front of `buffer`; nil while it is incomplete.
    private func announcedLength(in buffer: ByteBuffer) throws(GoAwayReason) -> Int? {
        guard let announced = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return nil }
        guard announced > 0 else { throw .emptyFrame }
        guard let length = Int(exactly: announced), length <= limit else { throw .frameTooLarge }
        return length
    }
}
