import NIOCore
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

@Suite("Frame splitter")
struct FrameSplitterTests {
    let bodies: [[UInt8]] = [[1], Array(1...200), [7, 7], Array(repeating: 9, count: 300)]

    var stream: [UInt8] { bodies.flatMap(Frame.wire) }

    private func split(_ pieces: [ArraySlice<UInt8>], limit: Int = 300) throws -> [[UInt8]] {
        var splitter = FrameSplitter(limit: limit)
        var frames: [[UInt8]] = []
        for piece in pieces {
            var incoming = ByteBuffer(bytes: piece)
            while let frame = try splitter.next(from: &incoming) { frames.append(Array(frame.readableBytesView)) }
            #expect(incoming.readableBytes == 0)
        }
        return frames
    }

    @Test("the splitter returns the same frames for every split of the stream into two")
    func twoPieces() throws {
        for cut in 0...stream.count { #expect(try split([stream[..<cut], stream[cut...]]) == bodies) }
    }

    @Test("the splitter returns the same frames when bytes arrive one by one")
    func bytes() throws {
        #expect(try split(stream.indices.map { stream[$0...$0] }) == bodies)
    }

    @Test("the splitter returns no frame for a strict prefix of one, and keeps no more than the prefix")
    func prefixes() throws {
        let wire = Frame.wire(Array(1...20))
        for count in 0..<wire.count {
            var splitter = FrameSplitter(limit: 300)
            var incoming = ByteBuffer(bytes: wire[..<count])
            #expect(try splitter.next(from: &incoming) == nil)
            #expect(splitter.heldBytes == count)
        }
    }

    @Test("the splitter refuses length zero", arguments: 1...4)
    func zero(first: Int) throws {
        let wire: [UInt8] = [0, 0, 0, 0]
        #expect(throws: GoAwayReason.emptyFrame) { try split([wire[..<first], wire[first...]]) }
    }

    @Test("the splitter refuses a length above the limit as soon as it is complete, before anything is kept")
    func oversize() throws {
        for announced: [UInt8] in [[0, 0, 1, 45], [0x7f, 0xff, 0xff, 0xff], [0xff, 0xff, 0xff, 0xff]] {
            var splitter = FrameSplitter(limit: 300)
            var incoming = ByteBuffer(bytes: announced + Array(repeating: 1, count: 100))
            #expect(throws: GoAwayReason.frameTooLarge) { try splitter.next(from: &incoming) }
            #expect(splitter.heldBytes == 0)
        }
    }

    @Test("the splitter takes a frame of exactly the limit")
    func limit() throws {
        #expect(try split([stream[...]], limit: 300) == bodies)
        #expect(throws: GoAwayReason.frameTooLarge) { try split([stream[...]], limit: 299) }
    }
}
