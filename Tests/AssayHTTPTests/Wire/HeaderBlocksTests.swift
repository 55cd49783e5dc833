import NIOCore
import Testing

@testable import AssayHTTP

@Suite("Blocks of header fields over HTTP/2")
struct HeaderBlocksTests {
    private static let (data, headers, continuation): (UInt8, UInt8, UInt8) = (0, 1, 9)
    private static let endHeaders: UInt8 = 4

    /// Frames, and whether a head is open when each of their bytes has come.
    private struct Sample {
        var bytes = RawFrames.preface
        var isOpen: [Bool]

        init() { isOpen = Array(repeating: false, count: bytes.count) }

        /// - Parameter leavesOpen: behind the frame.
        mutating func add(_ type: UInt8, flags: UInt8, _ payload: [UInt8], leavesOpen: Bool) {
            let frame = RawFrames.frame(type: type, flags: flags, stream: 1, payload)
            let wasOpen = isOpen.last ?? false
            for count in 1..<frame.count { isOpen.append(wasOpen || (type == HeaderBlocksTests.headers && count >= 4)) }
            isOpen.append(leavesOpen)
            bytes += frame
        }
    }

    private static let sample: Sample = {
        var sample = Sample()
        sample.add(4, flags: 0, [0, 1, 0, 0, 0, 1], leavesOpen: false)
        sample.add(headers, flags: endHeaders, [1, 2, 3], leavesOpen: false)
        // The bytes of a payload are no frames.
        sample.add(data, flags: 1, RawFrames.frame(type: headers, stream: 3, [9]), leavesOpen: false)
        sample.add(headers, flags: 1, [1], leavesOpen: true)
        sample.add(continuation, flags: 0, [], leavesOpen: true)
        sample.add(continuation, flags: 0, Array(repeating: 7, count: 300), leavesOpen: true)
        sample.add(continuation, flags: endHeaders, [], leavesOpen: false)
        sample.add(headers, flags: endHeaders, [], leavesOpen: false)
        sample.add(0xfa, flags: 0, [1, 1, 1, 1], leavesOpen: false)
        sample.add(headers, flags: 0, [], leavesOpen: true)
        return sample
    }()

    @Test("a head is open from the type of its first frame to the last byte of the frame that ends it")
    func everyByte() {
        var blocks = HeaderBlocks()
        for (byte, isOpen) in zip(Self.sample.bytes, Self.sample.isOpen) {
            blocks.read(ByteBuffer(bytes: [byte]), at: .uptimeNanoseconds(1))
            #expect((blocks.openSince != nil) == isOpen)
        }
    }

    @Test("it is the same for every cut of the bytes into two")
    func twoPieces() {
        for cut in 0...Self.sample.bytes.count {
            var blocks = HeaderBlocks()
            blocks.read(ByteBuffer(bytes: Self.sample.bytes[..<cut]), at: .uptimeNanoseconds(1))
            #expect((blocks.openSince != nil) == (cut > 0 && Self.sample.isOpen[cut - 1]))
            blocks.read(ByteBuffer(bytes: Self.sample.bytes[cut...]), at: .uptimeNanoseconds(1))
            #expect(blocks.openSince != nil)
        }
    }

    @Test("a head is as old as its first frame, and a later head in the same bytes is not older")
    func beginning() {
        var blocks = HeaderBlocks()
        let open = RawFrames.frame(type: Self.headers, stream: 1, [1])
        let end = RawFrames.frame(type: Self.continuation, flags: Self.endHeaders, stream: 1, [1])
        blocks.read(ByteBuffer(bytes: RawFrames.preface + open), at: .uptimeNanoseconds(1))
        blocks.read(ByteBuffer(bytes: RawFrames.frame(type: Self.continuation, stream: 1)), at: .uptimeNanoseconds(2))
        #expect(blocks.openSince == .uptimeNanoseconds(1))
        blocks.read(ByteBuffer(bytes: end + open), at: .uptimeNanoseconds(3))
        #expect(blocks.openSince == .uptimeNanoseconds(3))
    }
}
