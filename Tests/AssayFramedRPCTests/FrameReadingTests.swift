import AssayProtobuf
import Foundation
import NIOCore
import SwiftProtobuf
import Testing

@testable import AssayFramedRPC
@testable import AssayRPC

/// Compares the module's reader and writer with the generated messages.
@Suite("Frame reading and writing")
struct FrameReadingTests {
    @Test("the reader reads a call as the generated message does")
    func call() throws {
        let frame = try Frame.call(77, "/a.B/C", Text("x"), timeout: 1500, metadata: ["authorization": "Bearer ü", "": ""])
        try expectAgreement(try frame.serializedBytes())
    }

    @Test("the generated message reads the frames that the writer writes", arguments: [0, 1, 127, 128, 20000])
    func writing(size: Int) throws {
        let message = [UInt8](repeating: 3, count: size)
        let error = RPCError(.resourceExhausted, "no", reason: "overloaded", retryAfterMilliseconds: 250)
        var buffer = ByteBuffer()
        buffer.writeCall(300, "/a.B/C", message, 5000, ["k": "v", "": ""])
        buffer.writeReply(1, message)
        buffer.writeReply(.max, error)
        buffer.writeItem(2, message)
        buffer.writeEnd(3, nil)
        buffer.writeEnd(3, error)
        buffer.writeCancel(4)
        buffer.writePing()
        buffer.writePong()
        buffer.writeGoAway("shutting_down")

        var frames: [Frame] = []
        while let frame = buffer.readLengthPrefixedSlice(as: UInt32.self) {
            frames.append(try Frame(serializedBytes: Array(frame.readableBytesView)))
        }
        #expect(buffer.readableBytes == 0)
        #expect(frames.map(\.callID) == [300, 1, .max, 2, 3, 3, 4, 0, 0, 0])
        let call = try #require(frames.first?.call)
        #expect(call.method == "/a.B/C" && call.message == Data(message) && call.timeoutMs == 5000)
        #expect(call.metadata == ["k": "v", "": ""])
        #expect(frames[1].reply.message == Data(message) && !frames[1].reply.hasStatus)
        #expect(RPCError(frames[2].reply.status) == error)
        #expect(frames[3].item.message == Data(message))
        #expect(frames[4].kind == .end(.init()))
        #expect(RPCError(frames[5].end.status) == error)
        #expect(frames[6].kind == .cancel(.init()) && frames[7].kind == .ping(.init()) && frames[8].kind == .pong(.init()))
        #expect(frames[9].goAwayReason == "shutting_down")
    }

    @Test("the reader agrees with the generated message on what it accepts, for 20,000 damaged frames")
    func damaged() throws {
        var random = SplitMix(seed: 0x5eed)
        let good =
            try Frame.call(77, "/a.B/C", Text("hello"), timeout: 1500, metadata: ["key": "value"]).serializedBytes() as [UInt8]
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<random.next(below: 4) {
                switch random.next(below: 3) {
                case 0: bytes[random.next(below: bytes.count)] = UInt8(random.next(below: 256))
                case 1: bytes.remove(at: random.next(below: bytes.count))
                default: bytes.insert(UInt8(random.next(below: 256)), at: random.next(below: bytes.count))
                }
            }
            if try expectAgreement(bytes) { accepted += 1 }
        }
        #expect(accepted > 1000)
    }

    @Test("the reader refuses a frame with two kinds, which the generated message would merge")
    func twoKinds() throws {
        let bytes: [UInt8] = [0x08, 1, 0x32, 0, 0x3a, 0]
        #expect(throws: GoAwayReason.undecodableFrame) { try read(bytes) }
    }

    @Test("the reader skips unknown fields of every wire type but groups")
    func unknownFields() throws {
        let unknown: [UInt8] =
            [0xa0, 0x06, 0x96, 0x01] + [0xa1, 0x06] + [1, 2, 3, 4, 5, 6, 7, 8] + [0xa2, 0x06, 2, 9, 9]
            + [0xa5, 0x06, 1, 2, 3, 4]
        #expect(try read(unknown + [0x08, 5, 0x32, 0]).head.callID == 5)
        #expect(throws: GoAwayReason.undecodableFrame) { try read([0xa3, 0x06, 0xa4, 0x06]) }
    }

    @Test("the reader keeps 32 metadata entries, and tells that there were more")
    func metadata() throws {
        for count in [32, 33] {
            let metadata = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "v\($0)") })
            let call = try #require(try read(try Frame.call(1, "/m", metadata: metadata).serializedBytes()).call)
            #expect(call.metadata.entries.count == 32)
            #expect(call.hasTooMuchMetadata == (count > 32))
        }
    }

    // MARK: Comparing

    private func read(_ bytes: [UInt8]) throws -> (head: FrameHead, call: CallFields?) {
        try bytes.withUnsafeBytes { bytes in
            let head = try FrameHead(parsing: bytes)
            return (head, head.kind == .call ? try CallFields(parsing: bytes, head.body) : nil)
        }
    }

    /// - Returns: whether the bytes were accepted.
    @discardableResult
    private func expectAgreement(_ bytes: [UInt8]) throws -> Bool {
        guard let (head, call) = try? read(bytes) else { return false }
        // A method that is not UTF-8 is refused by the look-up, not by the reader.
        if let call, bytes.withUnsafeBytes({ $0.text(call.method) }) == nil { return false }
        // The reader does not parse the kinds that only a client receives; the generated message does.
        guard call != nil || head.kind == nil else { return false }
        let frame = try #require(try? Frame(serializedBytes: bytes), "accepted by the reader alone: \(bytes)")
        #expect(frame.callID == head.callID)
        if let call {
            #expect(Data(frame.call.method.utf8) == Data(bytes[call.method]))
            #expect(frame.call.message == Data(bytes[call.message]))
            // The generated message truncates a timeout that does not fit; the reader marks it.
            if !call.hasTooLongTimeout { #expect(frame.call.timeoutMs == call.timeoutMilliseconds) }
            for (key, value) in frame.call.metadata { #expect(call.metadata[key] == value) }
        } else {
            #expect(frame.kind == nil)
        }
        return true
    }
}

/// A small generator with a fixed seed (Steele, Lea, Flood: SplitMix64), so that a failure can be repeated.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
