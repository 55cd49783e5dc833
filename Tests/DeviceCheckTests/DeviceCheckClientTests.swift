import AssayCore
import AssayTesting
import Crypto
import Foundation
import Testing

@testable import AssayVendors
@testable import DeviceCheck

@Suite("DeviceCheck client", .timeLimit(.minutes(30)))
struct DeviceCheckClientTests {
    private let clock = FixedClock(Timestamp(unixMilliseconds: 1_750_000_000_123))
    private let log = LogBook()

    private func client(_ vendor: Vendor) throws -> (DeviceCheckClient, AppleTeamToken) {
        let key = try AppleTeamKey(
            teamID: "ABCDE12345", keyID: "2X9R4HXF34", pem: P256.Signing.PrivateKey().pemRepresentation)
        let token = AppleTeamToken(key, clock: clock)
        let client = DeviceCheckClient(
            client: vendor.client, address: vendor.address, token: token, clock: clock,
            logger: log.logger)
        return (client, token)
    }

    /// The client's interpretation of an answer.
    private func reply(
        to answer: TestHTTPSAnswer, _ settings: VendorSettings = Vendor.patient
    ) async throws -> Result<OutsideAnswer, AnswerSourceError> {
        var result: Result<OutsideAnswer, AnswerSourceError>?
        try await Vendor.run(settings, answer: { _ in answer }) { vendor in
            let (client, _) = try client(vendor)
            do throws(AnswerSourceError) {
                result = .success(try await client.ask(about: [1, 2, 3]))
            } catch {
                result = .failure(error)
            }
        }
        return try #require(result)
    }

    @Test("A request has the token as Base64, a transaction id of its own, and the time in milliseconds")
    func request() async throws {
        try await Vendor.run(answer: { _ in .json(#"{"bit0":false,"bit1":true}"#) }) { vendor in
            let (client, token) = try client(vendor)
            let device = SecureRandom.bytes(3000)
            _ = try await client.ask(about: device)
            _ = try await client.ask(about: device)
            let asked = vendor.server.requests
            let bearer = "Bearer " + (try await token.text())
            var names: Set<String> = []
            for request in asked {
                #expect(request.method == "POST")
                #expect(request.path == "/v1/query_two_bits")
                #expect(request.header("authorization") == bearer)
                #expect(request.header("content-type") == "application/json")
                let body = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
                #expect(body["device_token"] as? String == Base64.standard.encode(device))
                #expect(body["timestamp"] as? Int == 1_750_000_000_123)
                names.insert(try #require(body["transaction_id"] as? String))
                #expect(body.count == 3)
            }
            #expect(asked.count == 2 && names.count == 2)
        }
    }

    @Test("A transaction id is a random UUID of version 4 in lower case")
    func transactionID() {
        for _ in 0..<100 {
            let text = DeviceCheckClient.transactionID()
            #expect(UUID(uuidString: text)?.uuidString.lowercased() == text)
            #expect(Array(text)[14] == "4" && "89ab".contains(Array(text)[19]))
        }
        #expect(DeviceCheckClient.transactionID() != DeviceCheckClient.transactionID())
    }

    @Test(
        "Bits are read, and that they were never set",
        arguments: [
            (#"{"bit0":true,"bit1":false,"last_update_time":"2024-05"}"#, .set(true, false, lastSetIn: "2024-05")),
            (#"{"bit0":false,"bit1":true,"last_update_time":"yesterday"}"#, .set(false, true, lastSetIn: nil)),
            (#" {"bit1":true, "bit0":true, "more": 1} "#, .set(true, true, lastSetIn: nil)),
            ("Failed to find bit state", .neverSet), ("Bit State Not Found", .neverSet),
            ("FAILED TO FIND BIT STATE\n", .neverSet),
        ] as [(String, DeviceBits)])
    func bits(_ body: String, _ expected: DeviceBits) async throws {
        #expect(try await reply(to: TestHTTPSAnswer(200, text: body)) == .success(.stated(expected.claims)))
    }

    @Test("The bits are stated as claims, with the month if it is known")
    func claims() {
        let dated = DeviceBits.set(true, false, lastSetIn: "2024-05").claims
        #expect(dated.all.map(\.name) == ["bits_set", "bit0", "bit1", "bits_last_set"])
        #expect(dated["bits_set"] == .boolean(true) && dated["bit0"] == .boolean(true) && dated["bit1"] == .boolean(false))
        #expect(dated.text("bits_last_set") == "2024-05")
        #expect(DeviceBits.set(false, true, lastSetIn: nil).claims["bits_last_set"] == nil)
        #expect(DeviceBits.neverSet.claims == Claims([.init(name: "bits_set", value: .boolean(false))]))
    }

    @Test("A month is four digits, a dash and two digits", arguments: ["2024-05", "0000-01", "9999-12"])
    func months(_ text: String) { #expect(DeviceBits.isMonth(text)) }

    @Test(
        "Other texts are not months",
        arguments: ["", "2024", "2024-13", "2024-1", "+024-05", " 2024-05", "2024-05-01", "24-05", "2024/05", "２０２４-05"])
    func noMonths(_ text: String) { #expect(!DeviceBits.isMonth(text)) }

    @Test(
        "Other texts are not answers about bits",
        arguments: [
            "", "OK", "{}", #"{"bit0":1,"bit1":0}"#, #"{"bit0":"true","bit1":"false"}"#, #"{"bit0":true}"#, "[true,false]",
            "<html>bit state not found</html>", #"{"bit0":true,"bit1":false,"bit1":true}"#,
            #"{"bit0":true,"bit1":true,"last_update_time":"\ud800"}"#, #"{"bit0":true,"bit1":true,"more":{"a":1,"a":1}}"#,
        ])
    func noBits(_ body: String) async throws {
        let reply = try await reply(to: TestHTTPSAnswer(200, text: body))
        #expect(reply == .failure(.init("what answered is not Apple's service (status 200)")))
    }

    @Test(
        "A refusal of the device's token is recognised",
        arguments: [
            "Missing or incorrectly formatted device token payload", "Bad Device Token",
            "Missing or badly formatted device token",
        ])
    func tokenRefused(_ body: String) async throws {
        #expect(try await reply(to: TestHTTPSAnswer(400, text: body)) == .success(.refused(Rejection(.vendorRefused, ""))))
    }

    @Test(
        "Other statuses are never an answer about the device",
        arguments: [
            (400, "Missing or badly formatted authorization token"), (400, "Bad Authorization Token"), (400, "Bad Timestamp"),
            (400, "Bad Payload"), (400, "<html>Bad Request</html>"), (401, "Unable to verify authorization token"),
            (401, "Authorization Token Expired"), (403, "Forbidden"), (405, "Method Not Allowed"), (429, "Too Many Requests"),
            (500, "Server Error"), (503, "<html>Service Unavailable</html>"), (302, ""), (204, ""),
        ])
    func noAnswer(_ status: Int, _ body: String) async throws {
        guard case .failure(let problem) = try await reply(to: TestHTTPSAnswer(status, text: body)) else {
            Issue.record("taken for an answer")
            return
        }
        #expect(problem.description.contains("status \(status)"))
    }

    @Test("A service that does not answer is reported", arguments: [TestHTTPSAnswer.silence, .hangUp])
    func outage(_ answer: TestHTTPSAnswer) async throws {
        let hasty = VendorSettings(connectMilliseconds: 50_000, totalMilliseconds: 500)
        guard case .failure = try await reply(to: answer, hasty) else {
            Issue.record("taken for an answer")
            return
        }
    }

    @Test("A failing service is not asked for a while, and then tried again")
    func breaker() async throws {
        try await Vendor.run(answer: { _ in TestHTTPSAnswer(503) }) { vendor in
            let (client, _) = try client(vendor)
            for _ in 0..<10 { await #expect(throws: AnswerSourceError.self) { try await client.ask(about: [1]) } }
            #expect(vendor.server.requests.count == CircuitBreaker.patience)
            vendor.server.answer { _ in TestHTTPSAnswer(200, text: "Bit State Not Found") }
            clock.advance(milliseconds: 60_000)
            for _ in 0..<5 { _ = try await client.ask(about: [1]) }
            #expect(vendor.server.requests.count == CircuitBreaker.patience + 5)
            #expect(log.entries.map(\.message) == ["DeviceCheck gives no answer", "DeviceCheck answers again"])
        }
    }

    @Test("Tokens of the other environment do not stop the requests")
    func otherEnvironment() async throws {
        try await Vendor.run(answer: { _ in TestHTTPSAnswer(400, text: "Bad Authorization Token") }) { vendor in
            let (client, _) = try client(vendor)
            for _ in 0..<10 { await #expect(throws: AnswerSourceError.self) { try await client.ask(about: [1]) } }
            #expect(vendor.server.requests.count == 10)
        }
    }
}
