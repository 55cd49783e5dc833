/// What both sides of a TLS connection have to agree on.
enum TLSProtocol {
    /// The ALPN protocol (RFC 7301). A side that does not name it is refused, so that no other protocol's bytes are ever
    /// taken for frames.
    static let name = "assay-rpc/1"
}
