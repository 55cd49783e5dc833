#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Addresses that lead back to this machine.
package enum Loopback {
    /// Whether a host stays on this machine: `localhost` in any case (RFC 6761 §6.3), 127.0.0.0/8 (RFC 1122 §3.2.1.3), `::1` (RFC 4291
    /// §2.5.3), and 127.0.0.0/8 mapped into IPv6 (§2.5.5.2). Numbers are read as inet_pton(3) reads them, so a name that begins with "127."
    /// is a name. Names are not resolved.
    ///
    /// - Parameter host: without brackets, port and zone.
    package static func contains(_ host: some StringProtocol) -> Bool {
        let host = String(host)
        guard host.utf8.count <= SourceAddress.textLimit, !host.utf8.contains(0) else { return false }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return host.lowercased().utf8.elementsEqual("localhost".utf8) }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        guard bytes[..<10].allSatisfy({ $0 == 0 }) else { return false }
        let isMapped = bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped ? bytes[12] == 127 : bytes[10...].elementsEqual([0, 0, 0, 0, 0, 1])
    }
}
