import AssayHTTP
import NIOCore

extension FuzzTarget {
    /// The first byte is the length of the pieces in which the frames arrive; those follow the preface of a client.
    static func headerBlocks(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let size = Int(first) + 1
        var blocks = HeaderBlocks()
        var rest = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + bytes.dropFirst()
        while !rest.isEmpty {
            blocks.read(ByteBuffer(bytes: rest.prefix(size)), at: .now())
            rest.removeFirst(min(size, rest.count))
        }
        _ = blocks.openSince
    }
}
