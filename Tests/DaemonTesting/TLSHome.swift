import AssayClient
import AssaySimulator
import Foundation

/// The folder of a daemon that listens with TLS, with its certificates and those of its callers.
final class TLSHome: Sendable {
    static let uploads = "spiffe://example.org/uploads"
    static let monitoring = "monitoring.example.org"

    let home: TestHome
    let serverCA: TestTLSAuthority
    let callerCA: TestTLSAuthority

    /// - Parameters:
    ///   - listen: where the daemon listens.
    ///   - keys: the entry `callers.keys`.
    init(listen: [String] = ["tls: 127.0.0.1:0"], keys: String? = nil) throws {
        (serverCA, callerCA) = (try TestTLSAuthority("server CA"), try TestTLSAuthority("caller CA"))
        let folder = try TemporaryFolder()
        try folder.write(serverCA.pem, to: "server-ca.pem")
        try folder.write(callerCA.pem, to: "caller-ca.pem")
        // The one who makes keys calls at a Unix socket.
        let operating =
            keys.map { ", {name: operator, unix_user: \(getuid()), roles: [operate, observe], apps: all}], keys: \($0)" } ?? "]"
        let server = try serverCA.issue(.server, names: [.ipAddress([127, 0, 0, 1])])
        try folder.write(server.certificate, to: "server.pem")
        try folder.write(server.privateKey, to: "server.key")
        home = try TestHome(
            listen: listen,
            callers: """
                {known: [{name: uploads, uri: "\(Self.uploads)", roles: [verify], apps: [camera]}, \
                {name: monitoring, dns: \(Self.monitoring), roles: [observe], apps: all}\(operating)}
                """,
            more: "tls: {certificate: server.pem, private_key: server.key, client_ca: caller-ca.pem}", in: folder)
    }

    var folder: TemporaryFolder { home.folder }

    /// The files of a caller with these names, and the CA of the daemon that it trusts.
    func files(
        _ names: SubjectAlternativeName..., from authority: TestTLSAuthority? = nil, trusting server: String = "server-ca.pem"
    ) throws -> (ca: String, certificate: String, key: String) {
        try files(showing: (authority ?? callerCA).issue(.client, names: names), trusting: server)
    }

    /// The same for a certificate that was issued already.
    func files(
        showing issued: TestTLSAuthority.Issued, trusting server: String = "server-ca.pem"
    ) throws -> (ca: String, certificate: String, key: String) {
        let name = String(UInt32.random(in: 0...(.max)), radix: 36)
        return (
            folder.file(server), try folder.write(issued.certificate, to: name + ".pem"),
            try folder.write(issued.privateKey, to: name + ".key")
        )
    }

    func connect(
        to daemon: TestDaemon, _ files: (ca: String, certificate: String, key: String)
    ) async throws -> AssayClient {
        try await AssayClient.connect(
            to: try daemon.address("tls"),
            credentials: ClientCredentials(authorities: files.ca, certificate: files.certificate, privateKey: files.key),
            options: ClientOptions(retry: .once))
    }
}
