/// Why a TLS handshake failed. Raw values are counted and logged.
enum HandshakeRefusal: String, Sendable {
    case tooMany = "too_many_handshakes"
    case timeout = "handshake_timeout"
    /// TLS itself: version, certificate, signature, or no TLS at all.
    case failed = "handshake_failed"
    /// The client did not name `assay-rpc/1`.
    case wrongProtocol = "wrong_protocol"
    /// The certificate is from a configured CA, but cannot be read or has expired.
    case badCertificate = "bad_certificate"
}
