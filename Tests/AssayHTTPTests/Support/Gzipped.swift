import CZlib
import NIOCore
import Testing

/// Members of gzip, as clients write them.
enum Gzipped {
    /// - Parameter level: 0 (stored blocks) to 9.
    static func bytes(_ content: [UInt8], level: CInt = 6) throws -> [UInt8] {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        stream.initialize(to: z_stream())
        let begun = deflateInit2_(
            stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        try #require(begun == Z_OK)
        defer { deflateEnd(stream) }
        var content = content
        var output = [UInt8](repeating: 0, count: Int(deflateBound(stream, uLong(content.count))))
        let count = content.withUnsafeMutableBufferPointer { content in
            output.withUnsafeMutableBufferPointer { output -> Int? in
                stream.pointee.next_in = content.baseAddress
                stream.pointee.avail_in = uInt(content.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = uInt(output.count)
                return deflate(stream, Z_FINISH) == Z_STREAM_END ? output.count - Int(stream.pointee.avail_out) : nil
            }
        }
        return Array(output.prefix(try #require(count)))
    }
}
