#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes, by memcmp(3): `==` of arrays and slices compares a byte at a time. The time depends on the bytes, so that secrets
    /// are not compared by this.
    package func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let second = other.baseAddress else { return true }
        return start == second || memcmp(start, second, count) == 0
    }
}
