import AssayCompression
package import AssayRPC
package import NIOCore

/// Reads compressed requests (RFC 1952).
package enum Gzip {
    /// The bytes that one gzip member holds, when nothing follows it. Throws ``AssayRPC/RPCError/notGzip`` for other bytes, and for a member that
    /// is cut off or whose checksum differs.
    ///
    /// At most one byte more than the limit is inflated, which shows that there are more; memory is taken as the bytes come.
    ///
    /// - Parameter limit: the most bytes that come out, below 2 GiB.
    package static func inflate(_ bytes: ByteBuffer, limit: Int) throws(RPCError) -> [UInt8] {
        let result = bytes.withUnsafeReadableBytes { input in
            Result { () throws(InflationError) in try Inflation.inflate(input, as: .gzip, limit: limit) }
        }
        switch result {
        case .success(let content): return content
        case .failure(.malformed): throw .notGzip
        case .failure(.tooLong): throw .messageTooLarge
        case .failure(.outOfMemory): throw .overloaded
        }
    }
}
