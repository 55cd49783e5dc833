import AssayCompression
import AssayCore

/// An Android package as a ZIP archive: the entries that tell its name and its signers, and where its directory begins. APKs are no ZIP64.
struct PackageArchive<Source: ByteSource> {
    /// A file in the archive.
    struct Entry {
        let name: String
        let method: Int
        let checksum: [UInt8]
        let packedSize: Int
        let size: Int
        /// Of its local header.
        let offset: Int
    }

    /// Bytes of the directory that are read. An entry takes about 100, and there are at most 65,535.
    static var directoryLimit: Int { 16 << 20 }
    /// Bytes of one entry, packed or not. Manifests have below 1 MiB, signatures a few KiB.
    static var entryLimit: Int { 8 << 20 }
    /// Entries that may hold a signature of version 1. One is usual.
    static var signatureLimit: Int { 16 }
    private static var endSize: Int { 22 }
    private static var commentLimit: Int { 65_535 }

    let source: Source
    let directoryOffset: Int
    /// `AndroidManifest.xml`, and the signature blocks of version 1.
    let entries: [Entry]

    init(_ source: Source) throws(SignerFileError) {
        self.source = source
        let tailSize = min(source.count, Self.endSize + Self.commentLimit)
        let tail = try source.bytes(at: source.count - tailSize, count: tailSize, of: "the end of the archive")
        guard let end = Self.end(in: tail) else { throw .malformed("the archive has no end: it may be cut off") }
        var record = LittleEndianCursor(tail[(end + 10)...], "the end of the archive")
        let (count, size, offset) = (try record.count(2), try record.count(4), try record.count(4))
        guard size <= Self.directoryLimit else { throw record.failure("a directory of \(size) bytes") }
        guard offset <= source.count - tailSize + end, size <= source.count - tailSize + end - offset else {
            throw record.failure("the directory is not before it")
        }
        directoryOffset = offset
        let directory = try source.bytes(at: offset, count: size, of: "the directory of the archive")
        entries = try Self.entries(directory, count)
    }

    /// Where the record of the end begins: its comment reaches to the end of the file.
    private static func end(in tail: [UInt8]) -> Int? {
        guard tail.count >= endSize else { return nil }
        return (0...tail.count - endSize).last { start in
            tail[start] == 0x50 && tail[start + 1] == 0x4B && tail[start + 2] == 0x05 && tail[start + 3] == 0x06
                && Int(tail[start + 20]) | Int(tail[start + 21]) << 8 == tail.count - start - endSize
        }
    }

    private static func entries(_ directory: [UInt8], _ count: Int) throws(SignerFileError) -> [Entry] {
        var cursor = LittleEndianCursor(directory[...], "the directory of the archive")
        var entries: [Entry] = []
        for _ in 0..<count {
            guard try cursor.number(4) == 0x0201_4B50 else { throw cursor.failure("an entry that begins with other bytes") }
            try cursor.skip(6)
            let method = try cursor.count(2)
            try cursor.skip(4)
            let checksum = Array(try cursor.take(4))
            let (packedSize, size) = (try cursor.count(4), try cursor.count(4))
            let lengths = (name: try cursor.count(2), extra: try cursor.count(2), comment: try cursor.count(2))
            try cursor.skip(8)
            let offset = try cursor.count(4)
            let name = try cursor.take(lengths.name)
            try cursor.skip(lengths.extra + lengths.comment)
            guard let text = String(validating: name, as: UTF8.self), isOfUse(text) else { continue }
            guard entries.count <= signatureLimit else { throw cursor.failure("more than \(signatureLimit) signatures") }
            guard !entries.contains(where: { $0.name.utf8.elementsEqual(name) }) else {
                throw cursor.failure("two entries \(text.prefix(64))")
            }
            entries.append(
                Entry(name: text, method: method, checksum: checksum, packedSize: packedSize, size: size, offset: offset))
        }
        return entries
    }

    private static func isOfUse(_ name: String) -> Bool {
        name.utf8.elementsEqual("AndroidManifest.xml".utf8) || isSignature(name)
    }

    /// Of JAR signing, which is version 1 of Android's: the signature block of a signer.
    static func isSignature(_ name: String) -> Bool {
        guard name.utf8.starts(with: "META-INF/".utf8), !name.dropFirst(9).utf8.contains(UInt8(ascii: "/")) else {
            return false
        }
        let upper = name.uppercased()
        return [".RSA", ".DSA", ".EC"].contains(where: upper.hasSuffix)
    }

    /// What an entry holds.
    func content(of entry: Entry) throws(SignerFileError) -> [UInt8] {
        let place = entry.name.prefix(64).description
        guard entry.packedSize <= Self.entryLimit, entry.size <= Self.entryLimit else {
            throw .malformed("\(place): it has more than \(Self.entryLimit) bytes")
        }
        var header = LittleEndianCursor(try source.bytes(at: entry.offset, count: 30, of: place)[...], place)
        guard try header.number(4) == 0x0403_4B50 else { throw header.failure("it begins with other bytes") }
        try header.skip(22)
        let start = entry.offset + 30 + (try header.count(2)) + (try header.count(2))
        let packed = try source.bytes(at: start, count: entry.packedSize, of: place)
        switch entry.method {
        case 0:
            return packed
        case 8:
            // The archive has what gzip puts around the same bytes: the checksum and the size.
            let member =
                [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + packed + entry.checksum
                + (0..<4).map { UInt8(truncatingIfNeeded: entry.size >> ($0 * 8)) }
            do throws(InflationError) {
                return try Inflation.inflate(member, as: .gzip, limit: entry.size)
            } catch {
                throw .malformed("\(place): it cannot be inflated")
            }
        default:
            throw .malformed("\(place): it is compressed by another method (\(entry.method))")
        }
    }
}
