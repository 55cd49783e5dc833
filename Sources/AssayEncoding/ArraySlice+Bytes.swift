import AssayCore

extension ArraySlice<UInt8> {
    /// Whether the bytes are the UTF-8 of the text.
    package func spells(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in withUnsafeBytes { $0.equals(UnsafeRawBufferPointer(text)) } }
    }

    /// Whether both have the same bytes. Not by `==`: a byte at a time, a certificate of 700 bytes costs as much as its SHA-256.
    package func equals(_ other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { bytes in other.withUnsafeBytes { bytes.equals($0) } }
    }
}
