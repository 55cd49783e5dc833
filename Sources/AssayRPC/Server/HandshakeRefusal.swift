/// Why a connection ended in TLS's handshake. Raw values are counted and logged.
enum HandshakeRefusal: String, Sendable {
    case tooMany = "too_many_handshakes"
    case timeout = "handshake_timeout"
    /// TLS itself: version, certificate, signature, or no TLS at all.
    case failed = "handshake_failed"
    /// The client did not name `assay-rpc/1`.
    case wrongProtocol = "wrong_protocol"
    /// The certificate came from the right CA, but what it says cannot be read, or it is out of date.
    case badCertificate = "bad_certificate"
}
