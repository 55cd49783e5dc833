import NIOCore
import Testing

@testable import AssayHTTP

@Suite("What frames leave behind")
struct FrameHistoryTests {
    private static let (headers, settings, continuation): (UInt8, UInt8, UInt8) = (1, 4, 9)
    /// Adds x: y to the table, and reads it again.
    private static let (adding, repeating): ([UInt8], [UInt8]) = ([0x83, 0x40, 1, 0x78, 1, 0x79], [0x83, 0xbe])

    private func history(_ frames: [UInt8]..., pieces size: Int = .max) -> FrameHistory {
        var blocks = HeaderBlocks()
        var rest = (RawFrames.preface + frames.joined())[...]
        while !rest.isEmpty {
            blocks.read(ByteBuffer(bytes: rest.prefix(size)), at: .uptimeNanoseconds(1))
            rest = rest.dropFirst(size)
        }
        return blocks.history
    }

    private func head(_ stream: UInt32, _ block: [UInt8], flags: UInt8 = 4) -> [UInt8] {
        RawFrames.frame(type: Self.headers, flags: flags, stream: stream, block)
    }

    @Test(
        "settings, and heads that change the table, are kept in their order, however the bytes are cut",
        arguments: [1, 2, 7, .max])
    func kept(size: Int) {
        let history = history(
            RawFrames.frame(type: Self.settings, [0, 4, 0, 0, 0, 9]), RawFrames.settingsAcknowledged, head(1, Self.adding),
            RawFrames.data(1, Self.adding), head(3, Self.repeating, flags: 5), head(5, Self.adding + [0x84]),
            RawFrames.frame(type: Self.settings, [0, 1, 0, 0, 0, 0]), pieces: size)
        #expect(history.isWhole && history.lastStream == 5 && history.blockCount == 2)
        #expect(history.settings == [0, 4, 0, 0, 0, 9, 0, 1, 0, 0, 0, 0])
        #expect(history.blocks.map(Array.init) == [Self.adding, Self.adding + [0x84]])
    }

    @Test("padding and priority are no part of a block")
    func padded() {
        let payload = [3, 0, 0, 0, 0, 16] + Self.adding + [0x40, 0x40, 0x40]
        #expect(history(head(1, payload, flags: 0x2c)).blocks.map(Array.init) == [Self.adding])
        #expect(history(head(1, [9, 0x83], flags: 0xc)).isLost)
        #expect(history(head(1, [0, 0, 0], flags: 0x24)).isLost)
        #expect(history(head(1, [], flags: 0xc)).isLost)
    }

    @Test("it is not whole before the server's settings are acknowledged, and before the first head")
    func early() {
        #expect(!history(RawFrames.settings, head(1, Self.adding)).isWhole)
        #expect(!history(RawFrames.settings, RawFrames.settingsAcknowledged).isWhole)
        #expect(history(RawFrames.settings, RawFrames.settingsAcknowledged, head(1, Self.repeating)).isWhole)
    }

    @Test("it is lost with what cannot be repeated")
    func lost() {
        // A head in parts, trailers that change the table, a block that cannot be read.
        #expect(history(head(1, Self.adding, flags: 0), RawFrames.frame(type: Self.continuation, flags: 4, stream: 1)).isLost)
        #expect(history(head(1, Self.repeating, flags: 0)).isLost)
        #expect(history(head(1, Self.adding), head(1, Self.adding)).isLost)
        #expect(!history(head(1, Self.adding), head(1, Self.repeating)).isLost)
        #expect(history(head(1, [0x04, 9])).isLost)
    }

    @Test("it has bounds, beyond which it keeps nothing")
    func bounds() {
        func field(_ count: Int) -> [UInt8] { [0x40, 1, 0x78, UInt8(count)] + Array(repeating: 0x79, count: count) }
        let streams = stride(from: 1 as UInt32, to: 40, by: 2)
        let heads = streams.flatMap { head($0, field(100)) }
        let short = history(Array(heads[..<(19 * 113)]))
        #expect(!short.isLost && short.blockCount == 19)
        let long = history(heads)
        #expect(long.isLost && long.blocks.isEmpty && long.settings.isEmpty)
        #expect(history(head(1, Array(repeating: 0x82, count: FrameHistory.mostBlockBytes + 1))).isLost)
        let settings = Array(repeating: RawFrames.frame(type: Self.settings, [0, 1, 0, 0, 0, 0]), count: 41).flatMap { $0 }
        #expect(!history(Array(settings[..<(40 * 15)])).isLost && history(settings).isLost)
    }
}
