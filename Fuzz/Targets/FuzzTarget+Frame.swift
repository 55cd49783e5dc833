import AssayFramedRPC
import NIOCore

extension FuzzTarget {
    /// The first byte is the length of the pieces in which the stream arrives.
    static func frame(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let size = Int(first) + 1
        var splitter = FrameSplitter(limit: 4096)
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            var incoming = ByteBuffer(bytes: rest.prefix(size))
            rest = rest.dropFirst(size)
            while let frame = try? splitter.next(from: &incoming) { frame.withUnsafeReadableBytes(readFrame) }
        }
    }

    private static func readFrame(_ bytes: UnsafeRawBufferPointer) {
        guard let head = try? FrameHead(parsing: bytes), let kind = head.kind else { return }
        switch kind {
        case .call: _ = try? CallFields(parsing: bytes, head.body)
        case .reply, .item, .end: _ = try? AnswerFields(kind, parsing: bytes, head.body)
        case .cancel, .ping, .pong, .goAway: return
        }
    }
}
