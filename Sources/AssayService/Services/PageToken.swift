import AssayCore

/// Where a listing goes on: the position as 8 bytes, big-endian, and 8 bytes of a digest of what is listed, so that a
/// token is not mistaken for that of another listing. Nothing in it is secret, and a made-up one shows no more than an
/// honest one.
struct PageToken {
    static let length = 16
    let bytes: [UInt8]

    init(position: Int64, of listing: DeviceListing) {
        bytes = withUnsafeBytes(of: position.bigEndian) { Array($0) } + Self.mark(of: listing)
    }

    /// `nil` unless `bytes` are a token of this listing.
    static func position(in bytes: [UInt8], of listing: DeviceListing) -> Int64? {
        guard bytes.count == length, bytes.suffix(8).elementsEqual(mark(of: listing)) else { return nil }
        let position = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(exactly: position)
    }

    private static func mark(of listing: DeviceListing) -> [UInt8] {
        var digest = FieldDigest("assay.device-listing.v1")
        digest.append(listing.app.text)
        digest.append(listing.subject ?? [])
        digest.append(listing.isBlocked.map { $0 ? "blocked" : "active" } ?? "")
        return Array(digest.finalize().prefix(8))
    }
}
