/// The application protocol of TLS connections.
enum TLSProtocol {
    /// The ALPN name (RFC 7301). A side that does not name it is refused, so that bytes of another protocol are never read as frames.
    static let name = "assay-rpc/1"
}
