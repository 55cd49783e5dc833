/// What stands around compressed bytes (RFC 1951).
package enum CompressedFormat: Sendable {
    /// Two bytes of header and a checksum, Adler-32 (RFC 1950).
    case zlib
    /// Ten bytes of header or more, a checksum, CRC-32, and the length (RFC 1952).
    case gzip

    /// `windowBits` of zlib.
    var window: CInt {
        switch self {
        case .zlib: 15
        case .gzip: 15 + 16
        }
    }
}

/// Why bytes are not inflated.
package enum InflationError: Error, Hashable, Sendable {
    /// They are not of the format, are cut off, or have another checksum; or more follows their end.
    case malformed
    /// More comes out than was allowed.
    case tooLong
    /// zlib has no memory.
    case outOfMemory
}
