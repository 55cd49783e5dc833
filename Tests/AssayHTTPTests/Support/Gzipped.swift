import AssayCompression
import Testing

/// Members of gzip, as clients write them.
enum Gzipped {
    /// - Parameter level: 0 (stored blocks) to 9.
    static func bytes(_ content: [UInt8], level: CInt = 6) throws -> [UInt8] {
        try #require(Deflation.deflate(content, as: .gzip, level: level))
    }
}
