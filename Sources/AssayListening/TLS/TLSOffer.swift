/// The application protocols that a server offers in TLS (ALPN, RFC 7301).
package struct TLSOffer: Hashable, Sendable {
    /// The most wanted first.
    package let names: [String]
    /// Whether a client that names none of them is refused, so that bytes of another protocol are never read as those of this one.
    package let isRequired: Bool
    /// How long the end of a connection waits for the peer's end of TLS (`close_notify`, RFC 8446 §6.1).
    package let shutdownTimeout: Duration

    package init(_ names: [String], isRequired: Bool, shutdownTimeout: Duration = .seconds(5)) {
        (self.names, self.isRequired, self.shutdownTimeout) = (names, isRequired, shutdownTimeout)
    }
}
