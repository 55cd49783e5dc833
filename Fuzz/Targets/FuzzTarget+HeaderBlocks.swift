import AssayHTTP
import NIOCore

extension FuzzTarget {
    /// The first byte is the length of the pieces in which the frames arrive; those follow the preface of a client.
    static func headerBlocks(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let size = Int(first) + 1
        let whole = FramesBeforeCalls.preface + bytes.dropFirst()
        var blocks = HeaderBlocks()
        var (frames, areAll) = (FramesBeforeCalls(), true)
        frames.question = 7
        var came = ByteBuffer()
        var rest = whole
        while !rest.isEmpty {
            blocks.read(ByteBuffer(bytes: rest.prefix(size)), at: .now())
            came.writeBytes(rest.prefix(size))
            // The preface is compared before.
            if came.readableBytes >= FramesBeforeCalls.preface.count { areAll = areAll && frames.areAll(in: came) }
            rest.removeFirst(min(size, rest.count))
        }
        _ = (blocks.openSince, blocks.history.blocks)
        var wholeBlocks = HeaderBlocks()
        wholeBlocks.read(ByteBuffer(bytes: whole), at: .now())
        precondition(wholeBlocks.history.blocks == blocks.history.blocks, "the pieces leave another history than the whole")
        precondition(wholeBlocks.history.isLost == blocks.history.isLost, "the pieces leave another history than the whole")
        var atOnce = FramesBeforeCalls()
        atOnce.question = 7
        precondition(atOnce.areAll(in: came) == areAll, "the pieces are not read as the whole is")
    }
}
