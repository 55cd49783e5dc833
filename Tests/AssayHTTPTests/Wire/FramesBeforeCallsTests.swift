import NIOCore
import Testing

@testable import AssayHTTP

@Suite("Frames before the first call over HTTP/2")
struct FramesBeforeCallsTests {
    /// What an honest client sends.
    private static let usual: [UInt8] =
        RawFrames.preface + RawFrames.frame(type: 4, [0, 3, 0, 0, 0, 100, 0, 4, 0, 1, 0, 0])
        + RawFrames.windowUpdate(by: 983_041)
        + RawFrames.settingsAcknowledged + RawFrames.settings

    private func areAll(_ bytes: [UInt8], question: UInt64? = nil) -> Bool {
        var frames = FramesBeforeCalls()
        frames.question = question
        return frames.areAll(in: ByteBuffer(bytes: bytes))
    }

    @Test("settings, their acknowledgement and window belong to no call, wherever the bytes are cut")
    func usual() {
        var whole = FramesBeforeCalls()
        for count in RawFrames.preface.count...Self.usual.count {
            #expect(areAll(Array(Self.usual.prefix(count))))
            let isExpected = whole.areAll(in: ByteBuffer(bytes: Self.usual.prefix(count)))
            #expect(isExpected)
            #expect(whole.settings == (count < 45 ? 0 : count < Self.usual.count ? 1 : 2))
        }
    }

    @Test("a call, and any frame that is not expected, is seen by the nine bytes before its payload")
    func otherFrames() {
        let others: [(name: String, frame: [UInt8])] = [
            ("HEADERS", RawFrames.call(1, TestMethods.echo)), ("DATA", RawFrames.data(1, [1])),
            ("PRIORITY", RawFrames.frame(type: 2, stream: 3, [0, 0, 0, 1, 9])), ("RST_STREAM", RawFrames.reset(1)),
            ("PUSH_PROMISE", RawFrames.frame(type: 5, stream: 1, [0, 0, 0, 2])), ("PING", RawFrames.ping()),
            ("an answer to no PING", RawFrames.frame(type: 6, flags: 1, [0, 0, 0, 0, 0, 0, 0, 0])),
            ("GOAWAY", RawFrames.frame(type: 7, [0, 0, 0, 0, 0, 0, 0, 0])),
            ("CONTINUATION", RawFrames.frame(type: 9, flags: 4, stream: 1, [1])),
            ("an unknown type", RawFrames.frame(type: 0xfa)),
            ("window of a stream", RawFrames.windowUpdate(of: 1, by: 1)),
            ("window of three bytes", RawFrames.frame(type: 8, [0, 0, 1])),
            ("settings of a stream", RawFrames.frame(type: 4, stream: 1)),
            ("a value of five bytes", RawFrames.frame(type: 4, [0, 3, 0, 0, 0])),
            ("settings with an unknown flag", RawFrames.frame(type: 4, flags: 2)),
            ("an acknowledgement with values", RawFrames.frame(type: 4, flags: 1, [0, 3, 0, 0, 0, 1])),
            ("a second acknowledgement", RawFrames.settingsAcknowledged),
            ("settings without end", RawFrames.frame(type: 4, [UInt8](repeating: 0, count: 600))),
        ]
        for (name, frame) in others {
            for count in 0..<9 { #expect(areAll(Self.usual + frame.prefix(count)), "\(name): \(count) bytes") }
            for count in 9...frame.count { #expect(!areAll(Self.usual + frame.prefix(count)), "\(name): \(count) bytes") }
        }
    }

    @Test("settings are the first frame")
    func firstFrame() {
        for frame in [RawFrames.settingsAcknowledged, RawFrames.windowUpdate(by: 1)] {
            #expect(!areAll(RawFrames.preface + frame + RawFrames.settings))
            #expect(areAll(RawFrames.preface + RawFrames.settings + frame))
        }
    }

    @Test("values that may be wrong are for the handler of the whole protocol")
    func values() {
        let values: [(parameter: UInt8, value: [UInt8], isExpected: Bool)] = [
            (1, [0xff, 0xff, 0xff, 0xff], true), (2, [0, 0, 0, 1], true), (2, [0, 0, 0, 2], false),
            (4, [0x7f, 0xff, 0xff, 0xff], true), (4, [0x80, 0, 0, 0], false), (5, [0, 0, 0x40, 0], true),
            (5, [0, 0, 0x3f, 0xff], false), (5, [0, 0xff, 0xff, 0xff], true), (5, [1, 0, 0, 0], false),
            (8, [0, 0, 0, 1], false), (0xfe, [0xff, 0xff, 0xff, 0xff], true),
        ]
        for (parameter, value, isExpected) in values {
            let settings = RawFrames.frame(type: 4, [0, 1, 0, 0, 0, 0, 0, parameter] + value)
            #expect(areAll(RawFrames.preface + settings) == isExpected, "\(parameter): \(value)")
        }
    }

    @Test("so are an empty increment of the window, and one beyond the widest")
    func window() {
        let beginning = RawFrames.preface + RawFrames.settings
        let widest = RawFrames.windowUpdate(by: 0x7fff_ffff - 65_535)
        #expect(areAll(beginning + widest))
        #expect(!areAll(beginning + widest + RawFrames.windowUpdate(by: 1)))
        #expect(!areAll(beginning + RawFrames.windowUpdate(by: 0)))
        #expect(!areAll(beginning + RawFrames.windowUpdate(by: 0x8000_0001)))
    }

    @Test("the answer to the server's own PING is one of them")
    func answer() {
        let beginning = RawFrames.preface + RawFrames.settings
        var frames = FramesBeforeCalls()
        frames.question = 7
        var isExpected = frames.areAll(in: ByteBuffer(bytes: beginning))
        #expect(isExpected && !frames.isAnswered)
        let answer = RawFrames.frame(type: 6, flags: 1, [0, 0, 0, 0, 0, 0, 0, 7])
        isExpected = frames.areAll(in: ByteBuffer(bytes: beginning + answer))
        #expect(isExpected && frames.isAnswered)
        #expect(!areAll(beginning + answer, question: 8))
    }
}
