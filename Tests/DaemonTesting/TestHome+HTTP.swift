import Testing

extension TestHome {
    /// Listens on loopback over both protocols, accepts every caller, trusts the authority.
    ///
    /// - Parameter more: other sections, one per line.
    static func speakingHTTP(more: String = "") throws -> TestHome {
        try TestHome(
            listen: ["tcp: 127.0.0.1:0", "tcp: 127.0.0.1:0, protocol: http"], callers: "{loopback_demo: true}", more: more)
    }
}

extension TestDaemon {
    /// The port of its HTTP address, which comes after that of the framed protocol.
    var httpPort: Int {
        get throws { try #require(addresses.last?.split(separator: ":").last.flatMap { Int($0) }) }
    }
}
