import Foundation

extension PostgresServer {
    /// Lets the server use TLS from its next start, with a new certificate for these IP addresses that is its own root. It listens at them.
    ///
    /// - Returns: the path of the certificate, PEM.
    /// - Throws: ``Failure``
    public func serveTLS(at addresses: [String] = ["127.0.0.1"]) throws -> String {
        let certificate = folder.appending(path: "server.pem").path
        let key = folder.appending(path: "server.key").path
        try TestProgram.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=database", "-addext", "subjectAltName=" + addresses.map { "IP:\($0)" }.joined(separator: ","),
                "-keyout", key, "-out", certificate,
            ])
        try give(key)
        try configure(
            """
            listen_addresses = '\(addresses.joined(separator: ","))'
            ssl = on
            ssl_cert_file = '\(certificate)'
            ssl_key_file = '\(key)'
            """)
        return certificate
    }
}
