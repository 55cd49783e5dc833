import AssayCore
import AssaySimulator
import AssayTesting
import AssayVendors
import PlayIntegrity
import Synchronization

/// Google's two services on one test server, and the client that decodes tokens.
struct PlayHarness {
    static let package = "com.example.shop"
    static let decodePath = "/v1/com.example.shop:decodeIntegrityToken"

    /// Time-outs for a slow machine: in debug builds reading the machine's roots takes long.
    static let patient = VendorSettings(connectMilliseconds: 50_000, totalMilliseconds: 50_000)

    let server: TestHTTPSServer
    let vendorClient: VendorClient
    let account: CloudAccount
    let access: GoogleAccess
    let client: PlayDecodeClient
    let log: LogBook

    /// Runs `body` beside a token service that returns `bearer-1`, `bearer-2`, and so on, and a decode service.
    static func run(
        _ clock: FixedClock, _ settings: VendorSettings = Self.patient, callLimit: Int = 32,
        decode: @escaping TestHTTPSServer.Rule = { _ in .json("{}") }, _ body: (PlayHarness) async throws -> Void
    ) async throws {
        let authority = try TestTLSAuthority("vendor CA")
        let issued = try authority.issue(.server, names: [.dns("localhost")])
        let server = try await TestHTTPSServer(
            certificate: issued.certificate, privateKey: issued.privateKey, answer: rule(decode))
        var settings = settings
        settings.extraRoots = Array(authority.pem.utf8)
        let vendorClient = try VendorClient(settings)
        guard let address = VendorAddress(server.address) else { throw VendorError.closed }
        let (account, log) = (try CloudAccount(), LogBook())
        let access = GoogleAccess(
            try GoogleServiceAccount(file: account.file), scope: PlayDecodeClient.scope, address: address,
            client: vendorClient, clock: clock)
        let client = PlayDecodeClient(
            client: vendorClient, address: address, package: package, access: access, callLimit: callLimit,
            clock: clock, logger: log.logger)
        let harness = PlayHarness(
            server: server, vendorClient: vendorClient, account: account, access: access, client: client, log: log)
        do {
            try await body(harness)
        } catch {
            try await server.stop()
            throw error
        }
        vendorClient.close()
        try await server.stop()
    }

    /// The token service, and the decode service beside it.
    static func rule(_ decode: @escaping TestHTTPSServer.Rule) -> TestHTTPSServer.Rule {
        let issued = Counter()
        return { request in
            guard request.path == "/token" else { return decode(request) }
            return .json(#"{"access_token":"bearer-\#(issued.next())","expires_in":3599,"token_type":"Bearer"}"#)
        }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// The requests to the decode service so far.
    var decodes: [TestHTTPSRequest] { server.requests.filter { $0.path == Self.decodePath } }
    var tokenRequests: [TestHTTPSRequest] { server.requests.filter { $0.path == "/token" } }

    /// Sets the decode service's further answers.
    func decode(_ rule: @escaping TestHTTPSServer.Rule) { server.answer(Self.rule(rule)) }

    /// The result for a token: the reply, or why no request was sent.
    func ask(_ token: String = "token") async -> Result<OutsideAnswer, AnswerSourceError> {
        do throws(AnswerSourceError) {
            return .success(try await client.decode(Array(token.utf8)))
        } catch {
            return .failure(error)
        }
    }
}

extension Result<OutsideAnswer, AnswerSourceError> {
    /// Whether the request may have reached Google, without a known result.
    var isUnavailable: Bool { if case .success(.unavailable) = self { true } else { false } }
    var isNotAsked: Bool { if case .failure = self { true } else { false } }
}
