import AssayCore
import AssaySimulator
import AssayTesting
import Synchronization

@testable import AssayVendors

/// Google's token service on a test server, and its client.
struct GoogleHarness {
    static let scope = "https://www.googleapis.com/auth/playintegrity"

    let vendor: Vendor
    let account: CloudAccount
    let access: GoogleAccess

    /// Runs `body` beside a token service that returns `bearer-1`, `bearer-2`, and so on.
    static func run(_ clock: FixedClock, _ body: (GoogleHarness) async throws -> Void) async throws {
        try await Vendor.run(answer: rule()) { vendor in
            let account = try CloudAccount()
            let access = GoogleAccess(
                try GoogleServiceAccount(file: account.file), scope: scope, address: vendor.address,
                client: vendor.client, clock: clock)
            try await body(GoogleHarness(vendor: vendor, account: account, access: access))
        }
    }

    private static func rule() -> TestHTTPSServer.Rule {
        let issued = Counter()
        return { request in
            guard request.path == "/token" else { return TestHTTPSAnswer(404) }
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

    var tokenRequests: [TestHTTPSRequest] { vendor.server.requests.filter { $0.path == "/token" } }
}
