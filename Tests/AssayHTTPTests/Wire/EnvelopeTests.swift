import AssayRPC
import NIOCore
import Testing

@testable import AssayHTTP

@Suite("Envelopes")
struct EnvelopeTests {
    struct Part: Hashable {
        let flags: UInt8
        let message: [UInt8]
    }

    static let parts = [
        Part(flags: 0, message: [1]), Part(flags: EnvelopePrefix.compressed, message: Array(1...200)),
        Part(flags: 0, message: []),
        Part(flags: EnvelopePrefix.endOfStream, message: Array("{}".utf8)),
        Part(flags: 0xFF, message: Array(repeating: 9, count: 300)),
        Part(flags: EnvelopePrefix.trailers, message: []),
    ]

    static let body: [UInt8] = {
        var body = ByteBuffer()
        for part in parts { body.writeEnvelope(flags: part.flags, part.message) }
        return Array(body.readableBytesView)
    }()

    private static func read(_ pieces: [ArraySlice<UInt8>], limit: Int = 300) throws -> [Part] {
        var reader = EnvelopeReader(limit: limit)
        var parts: [Part] = []
        for piece in pieces {
            var input = ByteBuffer(bytes: piece)
            while let envelope = try reader.next(from: &input) {
                parts.append(Part(flags: envelope.flags, message: Array(envelope.message.readableBytesView)))
            }
            #expect(input.readableBytes == 0)
        }
        #expect(reader.isEmpty && reader.heldBytes == 0)
        return parts
    }

    @Test("an envelope is a byte of flags, a length of four bytes, big-endian, and the message")
    func layout() {
        var buffer = ByteBuffer()
        buffer.writeEnvelope(flags: 0x80, Array(repeating: 7, count: 258))
        let written = Array(buffer.readableBytesView)
        #expect(written == [0x80, 0, 0, 1, 2] + [UInt8](repeating: 7, count: 258))
        buffer.clear()
        buffer.writeEnvelope(flags: 0, [])
        #expect(Array(buffer.readableBytesView) == [0, 0, 0, 0, 0])
    }

    @Test("a reader returns the same envelopes for every cut of the body into two")
    func twoPieces() throws {
        for cut in 0...Self.body.count {
            let read = try Self.read([Self.body[..<cut], Self.body[cut...]])
            #expect(read == Self.parts)
        }
    }

    @Test("a reader returns the same envelopes for pieces of every size", arguments: 1...17)
    func pieces(size: Int) throws {
        let starts = stride(from: 0, to: Self.body.count, by: size)
        let read = try Self.read(starts.map { Self.body[$0..<min($0 + size, Self.body.count)] })
        #expect(read == Self.parts)
    }

    @Test("a reader returns no envelope for a strict prefix of one, and keeps no more than the prefix")
    func prefixes() throws {
        let body = Self.body[6..<211]
        for count in 0..<body.count {
            var reader = EnvelopeReader(limit: 300)
            var input = ByteBuffer(bytes: body.prefix(count))
            #expect(try reader.next(from: &input) == nil)
            #expect(reader.heldBytes == count)
            #expect(reader.isEmpty == (count == 0))
            #expect(input.readableBytes == 0)
        }
    }

    @Test("a reader keeps a beginning in memory of its own, and not the long buffer that it came in")
    func copies() throws {
        var reader = EnvelopeReader(limit: 300)
        var input = ByteBuffer(bytes: [0, 0, 0, 0, 0, 0, 0])
        input.reserveCapacity(1 << 20)
        _ = try reader.next(from: &input)
        #expect(try reader.next(from: &input) == nil)
        #expect(reader.heldBytes == 2)
        #expect(input.readableBytes == 0)
    }

    @Test("a message of exactly the limit is read, and one byte more is refused")
    func limit() throws {
        let read = try Self.read([Self.body[...]], limit: 300)
        #expect(read == Self.parts)
        #expect(throws: RPCError.messageTooLarge) { try Self.read([Self.body[...]], limit: 299) }
        let empty = try Self.read([[0, 0, 0, 0, 0]], limit: 0)
        #expect(empty == [Part(flags: 0, message: [])])
        #expect(throws: RPCError.messageTooLarge) { try Self.read([[0, 0, 0, 0, 1]], limit: 0) }
    }

    @Test(
        "a length above the limit is refused as soon as it is whole, before anything behind it is kept",
        arguments: [[0, 0, 1, 45], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func tooLong(_ length: [UInt8]) throws {
        var whole = EnvelopeReader(limit: 300)
        var input = ByteBuffer(bytes: [0] + length + Array(repeating: 1, count: 100))
        #expect(throws: RPCError.messageTooLarge) { try whole.next(from: &input) }
        #expect(whole.heldBytes == 0)

        var inParts = EnvelopeReader(limit: 300)
        for byte in [0] + length.dropLast() {
            var piece = ByteBuffer(bytes: [byte])
            #expect(try inParts.next(from: &piece) == nil)
        }
        var rest = ByteBuffer(bytes: length.suffix(1) + Array(repeating: 1, count: 100))
        #expect(throws: RPCError.messageTooLarge) { try inParts.next(from: &rest) }
        #expect(inParts.heldBytes == EnvelopePrefix.byteCount)
        // It stays refused.
        #expect(throws: RPCError.messageTooLarge) { try inParts.next(from: &rest) }
    }
}
