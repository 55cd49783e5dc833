package import AssayRPC

/// The proxies that are believed about the address of their client. By default there is none.
///
/// What is believed is an address, and nothing else: a client certificate that a header names (`X-Forwarded-Client-Cert`, `Client-Cert` of
/// RFC 9440) is never read, so that a caller is who the connection or its credential says.
package struct TrustedProxies: Hashable, Sendable {
    /// The hops of a header that are looked at, from the last one.
    static let hopLimit = 32

    package let ranges: [AddressRange]
    /// Whether a peer at a Unix socket is believed.
    package let unix: Bool

    package init(_ ranges: [AddressRange] = [], unix: Bool = false) { (self.ranges, self.unix) = (ranges, unix) }

    /// Reads the list of a configuration: addresses, ranges of addresses, and the word `unix`.
    package init(parsing texts: [String]) throws(AddressRange.Defect) {
        var ranges: [AddressRange] = []
        for text in texts where text != "unix" { ranges.append(try AddressRange(parsing: text)) }
        self.init(ranges, unix: texts.contains("unix"))
    }

    /// The numeric address of a client, as a peer that is believed passes it on. `nil`: the peer's own address counts.
    ///
    /// Each proxy appends the address that its connection comes from. So the hops are read from the last one, those that are proxies of the list
    /// are skipped, and the first one that is not is the client; what stands before it may be anything. `nil` if there is no such hop among the
    /// last ``hopLimit``, if its place has no address, and for a peer that is not believed.
    ///
    /// Throws ``Disagreement`` if both headers are there and do not name the same client. A proxy writes one of them, and passes the other on as its
    /// client sent it: were the proxy's own address counted then, every client could have that by one header more.
    ///
    /// - Parameters:
    ///   - forwarded: the values of the lines of `Forwarded` (RFC 7239), in the order in which they arrived.
    ///   - forwardedFor: those of `X-Forwarded-For`.
    package func client(
        of peer: RPCPeer, forwarded: [String], forwardedFor: [String]
    ) throws(Disagreement) -> String? {
        guard !(forwarded.isEmpty && forwardedFor.isEmpty), believes(peer) else { return nil }
        let clients = [(forwarded, ForwardedHops.Form.forwarded), (forwardedFor, .forwardedFor)]
            .filter { lines, _ in !lines.isEmpty }.map { lines, form in client(ForwardedHops(lines, form)) }
        guard let first = clients.first else { return nil }
        guard clients.allSatisfy({ $0 == first }) else { throw Disagreement() }
        return first?.description
    }

    /// `Forwarded` and `X-Forwarded-For` name different clients.
    package struct Disagreement: Error, Hashable, Sendable {}

    private func believes(_ peer: RPCPeer) -> Bool {
        switch peer {
        case .unix: unix
        // A zone after `%` names an interface of this machine, and is no part of the address.
        case .tcp(let address, _, _), .tls(let address, _, _):
            NumericAddress(address.utf8.prefix { $0 != UInt8(ascii: "%") }).map(contains) ?? false
        case .key(_, let origin): believes(origin)
        }
    }

    private func contains(_ address: NumericAddress) -> Bool { ranges.contains { $0.contains(address) } }

    private func client(_ hops: ForwardedHops) -> NumericAddress? {
        var hops = hops
        for _ in 0..<Self.hopLimit {
            guard case .address(let address)? = hops.next() else { return nil }
            if !contains(address) { return address }
        }
        return nil
    }
}
