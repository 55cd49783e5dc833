#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What of a peer's address is counted: all of an IPv4 address, the first 64 bits of an IPv6 address, since one host has at least that many. An
/// IPv4 address that is mapped into IPv6 counts as the IPv4 address. (The rule of `SourceAddress` in AssayCore, which this module does not
/// import.)
package struct CountedAddress: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameter address: numeric, without brackets; a zone after `%` is not counted. Other text counts as it is.
    package init(_ address: String) {
        var six = in6_addr()
        guard address.contains(":"), inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &six) == 1 else {
            description = address
            return
        }
        let words = withUnsafeBytes(of: &six) { bytes in
            stride(from: 0, to: 16, by: 2).map { UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt16.self)) }
        }
        if words[..<5].allSatisfy({ $0 == 0 }), words[5] == 0xffff {
            description = words[6...].flatMap { ["\($0 >> 8)", "\($0 & 0xff)"] }.joined(separator: ".")
        } else {
            description = words[..<4].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
        }
    }
}
