#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The address that a caller's own client has, as far as it is counted: all of an IPv4 address, the first 64 bits of an IPv6 address,
/// since one customer has at least that many. An IPv4 address that stands in an IPv6 address (`::ffff:0:0/96`, and `64:ff9b::/96` of
/// RFC 6052) is counted as the IPv4 address.
///
/// It is a personal identifier: it is not logged, and stored only as a keyed hash.
public struct SourceAddress: Hashable, Sendable {
    /// The longest text: that of an IPv6 address with an IPv4 address in it.
    public static let textLimit = 45

    /// The 16 bytes that are counted, as two big-endian numbers. `::ffff:a.b.c.d` for an IPv4 address.
    package let high: UInt64
    package let low: UInt64

    /// Reads the text of an address as inet_pton(3) does: without brackets, port, prefix length or zone. `nil` for anything else.
    public init?(text: some Collection<UInt8>) {
        guard (2...Self.textLimit).contains(text.count), !text.contains(0) else { return nil }
        var terminated = [CChar](text.map { CChar(bitPattern: $0) })
        terminated.append(0)
        var four = in_addr()
        if inet_pton(AF_INET, terminated, &four) == 1 {
            self.init(four: UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, terminated, &six) == 1 else { return nil }
        let words = withUnsafeBytes(of: &six) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        let isMapped = words.0 == 0 && words.1 >> 32 == 0xFFFF
        let isTranslated = words.0 == 0x0064_FF9B_0000_0000 && words.1 >> 32 == 0
        if isMapped || isTranslated {
            self.init(four: UInt32(truncatingIfNeeded: words.1))
        } else {
            self.init(high: words.0, low: 0)
        }
    }

    /// The text that is counted: without the lower half of an IPv6 address.
    public var text: String {
        guard high == 0, low >> 32 == 0xFFFF else {
            let groups = (0..<4).map { String(UInt16(truncatingIfNeeded: high >> UInt64(48 - 16 * $0)), radix: 16) }
            return groups.joined(separator: ":") + "::"
        }
        return (0..<4).map { "\(UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * $0)))" }.joined(separator: ".")
    }

    private init(four: UInt32) { self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(four)) }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}
