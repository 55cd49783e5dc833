import AssayHTTP
import NIOCore

extension FuzzTarget {
    static func gzip(_ bytes: [UInt8]) {
        let limit = 65_536
        guard let content = try? Gzip.inflate(ByteBuffer(bytes: bytes), limit: limit) else { return }
        precondition(content.count <= limit, "more was inflated than the limit allows")
    }
}
