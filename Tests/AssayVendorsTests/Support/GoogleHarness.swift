import AssayCore
import AssaySimulator
import AssayTesting
import Synchronization

@testable import AssayVendors

/// Google's two services on one test server, and their clients.
struct GoogleHarness {
    static let package = "com.example.shop"
    static let decodePath = "/v1/com.example.shop:decodeIntegrityToken"

    let vendor: Vendor
    let account: CloudAccount
    let access: GoogleAccess
    let client: PlayDecodeClient
    let log: LogBook

    /// Runs `body` beside a token service that returns `bearer-1`, `bearer-2`, and so on, and a decode service.
    static func run(
        _ clock: FixedClock, _ settings: VendorSettings = Vendor.patient, callLimit: Int = 32,
        decode: @escaping TestHTTPSServer.Rule = { _ in .json("{}") }, _ body: (GoogleHarness) async throws -> Void
    ) async throws {
        try await Vendor.run(settings, answer: rule(decode)) { vendor in
            let (account, log) = (try CloudAccount(), LogBook())
            let access = GoogleAccess(
                try GoogleServiceAccount(file: account.file), scope: PlayDecodeClient.scope, address: vendor.address,
                client: vendor.client, clock: clock)
            let client = PlayDecodeClient(
                client: vendor.client, address: vendor.address, package: package, access: access, callLimit: callLimit,
                clock: clock, logger: log.logger)
            try await body(GoogleHarness(vendor: vendor, account: account, access: access, client: client, log: log))
        }
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
    var decodes: [TestHTTPSRequest] { vendor.server.requests.filter { $0.path == Self.decodePath } }
    var tokenRequests: [TestHTTPSRequest] { vendor.server.requests.filter { $0.path == "/token" } }

    /// Sets the decode service's further answers.
    func decode(_ rule: @escaping TestHTTPSServer.Rule) { vendor.server.answer(Self.rule(rule)) }

    /// The result for a token: the reply, or why no request was sent.
    func ask(_ token: String = "token") async -> Result<OutsideAnswer, OutsideUnavailable> {
        do throws(OutsideUnavailable) {
            return .success(try await client.decode(Array(token.utf8)))
        } catch {
            return .failure(error)
        }
    }
}

extension Result<OutsideAnswer, OutsideUnavailable> {
    /// Whether the request may have reached Google, without a known result.
    var isUnavailable: Bool { if case .success(.unavailable) = self { true } else { false } }
    var isNotAsked: Bool { if case .failure = self { true } else { false } }
}
