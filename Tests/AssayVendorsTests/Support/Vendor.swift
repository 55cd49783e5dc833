import AssaySimulator
import AssayTesting

@testable import AssayVendors

/// A vendor's server, and a client that trusts it.
struct Vendor {
    let authority: TestTLSAuthority
    let server: TestHTTPSServer
    let client: VendorClient
    let address: VendorAddress

    /// Time-outs for a slow machine: in debug builds reading the machine's roots takes long.
    static let patient = VendorSettings(connectMilliseconds: 50_000, totalMilliseconds: 50_000)

    /// Runs `body` beside a server, and stops both after it.
    ///
    /// - Parameters:
    ///   - settings: the authority is added to its roots.
    ///   - names: those of the server's certificate.
    static func run(
        _ settings: VendorSettings = patient, names: [SubjectAlternativeName] = [.dns("localhost")],
        trusted: Bool = true, answer: @escaping TestHTTPSServer.Rule = { _ in TestHTTPSAnswer(404) },
        _ body: (Vendor) async throws -> Void
    ) async throws {
        let authority = try TestTLSAuthority("vendor CA")
        let issued = try authority.issue(.server, names: names)
        let server = try await TestHTTPSServer(
            certificate: issued.certificate, privateKey: issued.privateKey, answer: answer)
        var settings = settings
        if trusted { settings.extraRoots = Array(authority.pem.utf8) }
        let client = try VendorClient(settings)
        guard let address = VendorAddress(server.address) else { throw VendorError.closed }
        do {
            try await body(Vendor(authority: authority, server: server, client: client, address: address))
        } catch {
            try await server.stop()
            throw error
        }
        client.close()
        try await server.stop()
    }

    func call(_ request: VendorRequest = VendorRequest(.get, "/")) async throws -> VendorAnswer {
        try await client.call(request, at: address)
    }

    /// The error of a call; `nil` if it was answered.
    func problem(_ request: VendorRequest = VendorRequest(.get, "/")) async -> VendorError? {
        do throws(VendorError) {
            _ = try await client.call(request, at: address)
            return nil
        } catch {
            return error
        }
    }
}
