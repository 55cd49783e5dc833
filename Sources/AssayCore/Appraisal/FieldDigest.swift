import Crypto

/// SHA-256 over a tag and fields, each field behind its length as a big-endian u32, so that no two lists of fields
/// give the same input. Digests are never taken over protobuf serialisations, which have no canonical form.
public struct FieldDigest {
    private var hash = SHA256()

    public init(_ tag: String) { append(tag) }

    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    public mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { append($0) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count).bigEndian) { hash.update(bufferPointer: $0) }
        hash.update(bufferPointer: bytes)
    }

    /// The 32 bytes.
    public consuming func finalize() -> [UInt8] { Array(hash.finalize()) }
}
