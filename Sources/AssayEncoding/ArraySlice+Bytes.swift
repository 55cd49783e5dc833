#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ArraySlice<UInt8> {
    /// Whether the bytes are the UTF-8 of the text.
    package func spells(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in withUnsafeBytes { Self.areEqual($0, UnsafeRawBufferPointer(text)) } }
    }

    /// Whether both have the same bytes. Not by `==`: a byte at a time, a certificate of 700 bytes costs as much as its SHA-256.
    package func equals(_ other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { bytes in other.withUnsafeBytes { Self.areEqual(bytes, $0) } }
    }

    private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return first == second || memcmp(first, second, one.count) == 0
    }
}
