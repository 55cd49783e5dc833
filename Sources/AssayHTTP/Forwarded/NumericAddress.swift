#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4 address that is mapped into IPv6 (`::ffff:0:0/96`) is the IPv4 address.
struct NumericAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 16 bytes as two big-endian numbers; those of `::ffff:a.b.c.d` for an IPv4 address.
    let high: UInt64
    let low: UInt64

    /// The longest text: that of an IPv6 address with an IPv4 address in it.
    private static let textLimit = 45

    /// Reads the text of an address as inet_pton(3) does: without brackets, port, prefix length or zone. `nil` for anything else.
    init?(_ text: some Collection<UInt8>) {
        guard (2...Self.textLimit).contains(text.count), !text.contains(0) else { return nil }
        let terminated = text.map { CChar(bitPattern: $0) } + [0]
        var four = in_addr()
        if inet_pton(AF_INET, terminated, &four) == 1 {
            self.init(high: 0, low: Self.mapped | UInt64(UInt32(bigEndian: four.s_addr)))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, terminated, &six) == 1 else { return nil }
        let words = withUnsafeBytes(of: &six) { bytes in
            (0..<2).map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
        self.init(high: words[0], low: words[1])
    }

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// What stands before an IPv4 address in the lower half.
    private static let mapped: UInt64 = 0xFFFF_0000_0000

    var isIPv4: Bool { high == 0 && low >> 32 == Self.mapped >> 32 }

    /// The first `length` of the 128 bits, the others zero. 0 to 128.
    func prefix(_ length: Int) -> NumericAddress {
        NumericAddress(high: high & Self.mask(length), low: low & Self.mask(length - 64))
    }

    /// The first bits of 64; of more than 64 all, of less than 0 none.
    private static func mask(_ length: Int) -> UInt64 { ~(UInt64.max >> UInt64(min(max(length, 0), 64))) }

    /// As inet_ntop(3) writes it: an address has one text.
    var description: String {
        guard !isIPv4 else {
            return (0..<4).map { "\(UInt8(truncatingIfNeeded: low >> UInt64(24 - 8 * $0)))" }.joined(separator: ".")
        }
        var six = in6_addr()
        withUnsafeMutableBytes(of: &six) { bytes in
            bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        var text = [CChar](repeating: 0, count: Self.textLimit + 1)
        guard inet_ntop(AF_INET6, &six, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
