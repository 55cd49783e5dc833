import AssaySimulator
import AssayTesting
import AssayVendors

/// A vendor's server, and a client that trusts it.
struct Vendor {
    let server: TestHTTPSServer
    let client: VendorClient
    let address: VendorAddress

    /// Time-outs for a slow machine: in debug builds reading the machine's roots takes long.
    static let patient = VendorSettings(connectMilliseconds: 50_000, totalMilliseconds: 50_000)

    /// Runs `body` beside a server, and stops both after it.
    ///
    /// - Parameter settings: the authority is added to its roots.
    static func run(
        _ settings: VendorSettings = patient, answer: @escaping TestHTTPSServer.Rule = { _ in TestHTTPSAnswer(404) },
        _ body: (Vendor) async throws -> Void
    ) async throws {
        let authority = try TestTLSAuthority("vendor CA")
        let issued = try authority.issue(.server, names: [.dns("localhost")])
        let server = try await TestHTTPSServer(
            certificate: issued.certificate, privateKey: issued.privateKey, answer: answer)
        var settings = settings
        settings.extraRoots = Array(authority.pem.utf8)
        let client = try VendorClient(settings)
        guard let address = VendorAddress(server.address) else { throw VendorError.closed }
        do {
            try await body(Vendor(server: server, client: client, address: address))
        } catch {
            try await server.stop()
            throw error
        }
        client.close()
        try await server.stop()
    }
}
