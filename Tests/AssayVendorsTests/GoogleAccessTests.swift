import AssayCore
import AssaySimulator
import AssayTesting
import Crypto
import JWTKit
import Testing

@testable import AssayVendors

@Suite("Access to Google", .timeLimit(.minutes(30)))
struct GoogleAccessTests {
    private struct Claims: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private struct Form: Error {}

    private let clock = FixedClock(Timestamp(unixMilliseconds: 1_750_000_000_999))

    /// The assertion of a request, whose form is checked.
    private func assertion(_ request: TestHTTPSRequest) throws -> String {
        let fields = request.text.split(separator: "&").map(String.init)
        let prefix = "assertion="
        guard fields.count == 2, fields[0] == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer",
            fields[1].hasPrefix(prefix)
        else { throw Form() }
        return String(fields[1].dropFirst(prefix.count))
    }

    @Test("A request has a JWT by RS256 with issuer, audience, scope and lifetime")
    func request() async throws {
        try await GoogleHarness.run(clock) { harness in
            #expect(try await harness.access.token() == "bearer-1")
            let request = try #require(harness.vendor.server.requests.first)
            #expect(request.method == "POST" && request.path == "/token")
            #expect(request.header("content-type") == "application/x-www-form-urlencoded")
            #expect(request.header("authorization") == nil)
            let jwt = try assertion(request)
            #expect(jwt.utf8.allSatisfy { Self.needsNoEscape($0) })
            let header = try #require(jwt.split(separator: ".").first.flatMap { Base64.url.decode(String($0)) })
            let fields = try JSONFields(parsing: header[...], code: .malformedToken)
            #expect(try fields.text("alg") == "RS256")
            #expect(try fields.text("kid") == harness.account.keyID)
            let keys = await JWTKeyCollection().add(
                rsa: try Insecure.RSA.PublicKey(pem: harness.account.publicKeyPEM), digestAlgorithm: .sha256,
                kid: JWKIdentifier(string: harness.account.keyID))
            let claims = try await keys.verify(jwt, as: Claims.self)
            #expect(claims.iss == harness.account.email && claims.scope == "https://www.googleapis.com/auth/playintegrity")
            #expect(claims.aud == "https://oauth2.googleapis.com/token", "whatever the way to the service")
            #expect(claims.iat == 1_750_000_000 && claims.exp == 1_750_003_600)
        }
    }

    private static func needsNoEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    @Test("A token is reused until some minutes before its end, and no longer than a lifetime if the clock goes back")
    func life() async throws {
        try await GoogleHarness.run(clock) { (harness) async throws in
            #expect(try await harness.access.token() == "bearer-1")
            clock.advance(milliseconds: 3_599_000 - GoogleAccess.renewedBefore - 1)
            #expect(try await harness.access.token() == "bearer-1")
            clock.advance(milliseconds: 1)
            #expect(try await harness.access.token() == "bearer-2")
            clock.advance(milliseconds: -GoogleBearer.longestLife)
            #expect(try await harness.access.token() == "bearer-3")
            #expect(harness.tokenRequests.count == 3)
        }
    }

    @Test("Simultaneous requests share one fetched token")
    func singleFlight() async throws {
        try await GoogleHarness.run(clock) { harness in
            let slow = TestHTTPSAnswer(
                200, text: #"{"access_token":"slow","expires_in":3599}"#, delay: .milliseconds(200))
            harness.vendor.server.answerNext(slow)
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<32 { group.addTask { try await harness.access.token() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(tokens == [String](repeating: "slow", count: 32))
            #expect(harness.vendor.server.requests.count == 1)
        }
    }

    @Test("A refused token is dropped, and a newer one is not")
    func forgetting() async throws {
        try await GoogleHarness.run(clock) { harness in
            let first = try await harness.access.token()
            await harness.access.forget(first)
            #expect(try await harness.access.token() == "bearer-2")
            await harness.access.forget(first)
            #expect(try await harness.access.token() == "bearer-2")
        }
    }

    @Test("A refusal is reported, and the next call asks again", arguments: [400, 401, 403, 429, 500, 503])
    func refused(_ status: Int) async throws {
        try await GoogleHarness.run(clock) { (harness) async throws in
            harness.vendor.server.answerNext(.json(#"{"error":"invalid_grant"}"#, status: status))
            let problem = await #expect(throws: VendorError.self) { try await harness.access.token() }
            #expect(problem == .refused(host: harness.vendor.address.host, status: status))
            #expect(try await harness.access.token() == "bearer-1")
        }
    }

    @Test(
        "Other answers are not tokens",
        arguments: [
            "", "{}", "<html>", "[]", #"{"access_token":"a"}"#, #"{"expires_in":3599}"#,
            #"{"access_token":"","expires_in":3599}"#,
            #"{"access_token":"a b","expires_in":3599}"#, #"{"access_token":"a\r\nb","expires_in":3599}"#,
            #"{"access_token":"ä","expires_in":3599}"#, #"{"access_token":7,"expires_in":3599}"#,
            #"{"access_token":"a","expires_in":0}"#, #"{"access_token":"a","expires_in":-1}"#,
            #"{"access_token":"a","expires_in":86401}"#, #"{"access_token":"a","expires_in":9223372036854775807}"#,
            #"{"access_token":"a","expires_in":3599,"expires_in":3599}"#,
            #"{"access_token":"a","expires_in":3599,"b":"\ud800"}"#,
            #"{"access_token":"a","expires_in":1e3}"#, #"{"access_token":"a","expires_in":3599,"access_token":"b"}"#,
            #"{"expires_in":3599,"access_token":""# + String(repeating: "a", count: GoogleBearer.lengthLimit + 1) + #""}"#,
        ])
    func malformed(_ answer: String) async throws {
        try await GoogleHarness.run(clock) { harness in
            harness.vendor.server.answerNext(.json(answer))
            let problem = await #expect(throws: VendorError.self) { try await harness.access.token() }
            #expect(problem == .broken(host: harness.vendor.address.host))
        }
    }

    @Test("A token that is valid for a second only is not kept forever")
    func shortLife() async throws {
        try await GoogleHarness.run(clock) { (harness) async throws in
            harness.vendor.server.answerNext(.json(#"{"access_token":"brief","expires_in":1}"#))
            #expect(try await harness.access.token() == "brief")
            #expect(try await harness.access.token() == "brief")
            clock.advance(milliseconds: 1000)
            #expect(try await harness.access.token() == "bearer-1")
        }
    }

    @Test("Key files of the console are read, with their audience")
    func keyFile() throws {
        var account = try CloudAccount()
        #expect(try GoogleServiceAccount(file: account.file).email == account.email)
        #expect(try GoogleServiceAccount(file: account.file).keyID == account.keyID)
        account.draft["token_uri"] = .text("https://oauth.example/token")
        #expect(try GoogleServiceAccount(file: account.file).audience == "https://oauth.example/token")
        account.draft["token_uri"] = nil
        #expect(try GoogleServiceAccount(file: account.file).audience == "https://oauth2.googleapis.com/token")
    }

    @Test("Only a service account's key file is accepted, and the error quotes nothing of the file")
    func badKeyFiles() throws {
        let changes: [(String, JSONDraft?)] = [
            ("type", .text("authorized_user")), ("type", nil), ("client_email", nil), ("client_email", .text("")),
            ("private_key_id", nil), ("private_key_id", .text("")), ("private_key", nil), ("private_key", .text("hush")),
            ("private_key", .text("-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----")),
            ("private_key", .text(P256.Signing.PrivateKey().pemRepresentation)), ("private_key", .boolean(true)),
        ]
        for (name, value) in changes {
            var account = try CloudAccount()
            account.draft[name] = value
            let problem = #expect(throws: GoogleKeyError.self, "\(name)") { try GoogleServiceAccount(file: account.file) }
            #expect(problem?.description.contains("hush") == false)
        }
        let file = try CloudAccount().file
        #expect(file.last == UInt8(ascii: "}") && (try? GoogleServiceAccount(file: file)) != nil)
        for odd: [UInt8] in [
            Array(#","type":"service_account"}"#.utf8), Array(#","x":"\udc00"}"#.utf8),
            Array(#","x":""#.utf8) + [0xC3, 0x22, 0x7D],
        ] {
            #expect(throws: GoogleKeyError.self) { try GoogleServiceAccount(file: file.dropLast() + odd) }
        }
        for length in stride(from: 0, to: file.count, by: 101) {
            #expect(throws: GoogleKeyError.self) { try GoogleServiceAccount(file: Array(file.prefix(length))) }
        }
    }
}
