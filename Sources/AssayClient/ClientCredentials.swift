/// The certificate that a client presents to a daemon over TLS, and the CAs that it trusts.
public struct ClientCredentials: Sendable {
    let files: CredentialFiles

    /// PEM files: the CAs that must have issued the daemon's certificate, the client's certificate followed by its intermediates, and its
    /// key without a passphrase.
    ///
    /// The files are read now, and again for each connection, so that the next connection uses a renewed certificate. The daemon ends
    /// each connection gracefully when its certificate expires. If a file becomes unusable, its earlier content stays in use.
    ///
    /// - Parameter serverName: the name that the daemon's certificate must have; nil: the host of the address.
    /// - Throws: `invalidArgument`, `bad_credentials`, with the file that cannot be used.
    public init(
        authorities: String, certificate: String, privateKey: String, serverName: String? = nil
    ) throws(AssayError) {
        files = try CredentialFiles(
            authorities: authorities, certificate: certificate, privateKey: privateKey, serverName: serverName)
    }
}
