import Crypto

/// SHA-256 over a tag and fields, each preceded by its length as a big-endian u32, so that no two lists of fields give the same
/// input. Digests are never taken over protobuf serialisations, which have no canonical form.
public struct FieldDigest {
    private var input: [UInt8] = []

    public init(_ tag: String) {
        input.reserveCapacity(512)
        append(tag)
    }

    public mutating func append(_ text: String) {
        appendLength(text.utf8.count)
        input.append(contentsOf: text.utf8)
    }

    public mutating func append(_ bytes: [UInt8]) {
        appendLength(bytes.count)
        input.append(contentsOf: bytes)
    }

    /// One field that is a list: each element with its length. `length` is that of all of them together, in bytes.
    mutating func append(fields: [ArraySlice<UInt8>], length: Int) {
        appendLength(length)
        for field in fields {
            appendLength(field.count)
            input.append(contentsOf: field)
        }
    }

    public mutating func append(_ number: UInt64) {
        appendLength(8)
        withUnsafeBytes(of: number.bigEndian) { input.append(contentsOf: $0) }
    }

    private mutating func appendLength(_ length: Int) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: length).bigEndian) { input.append(contentsOf: $0) }
    }

    /// The 32 bytes.
    public consuming func finalize() -> [UInt8] { SHA256.bytes(of: input) }
}
