/// What a client shows a daemon that listens with TLS, and which daemon it believes.
public struct ClientCredentials: Sendable {
    let files: CredentialFiles

    /// PEM files: the CAs that the daemon's certificate must come from, the client's certificate with the intermediates behind
    /// it, and its key without a passphrase.
    ///
    /// They are read now, and again for each connection: a certificate that is renewed in its place is shown from the next
    /// connection on. The daemon ends each connection, in order, when its certificate ends. Files that cannot be used any more
    /// leave what they held before.
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
