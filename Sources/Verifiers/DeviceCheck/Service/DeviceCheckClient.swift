package import AssayCore
package import AssayVendors
package import Logging

/// Asks Apple's DeviceCheck service about tokens: `POST /v1/query_two_bits`, which validates the token and returns the two
/// bits. The request is safe to repeat.
package final class DeviceCheckClient: AnswerSource {
    private let client: VendorClient
    private let address: VendorAddress
    private let token: AppleTeamToken
    private let clock: any WallClock
    private let watch: VendorHealth

    package init(
        client: VendorClient, address: VendorAddress, token: AppleTeamToken, clock: any WallClock, logger: Logger
    ) {
        (self.client, self.address, self.token) = (client, address, token)
        self.clock = clock
        watch = VendorHealth(
            .onRequest,
            VendorHealth.Words(
                failing: "DeviceCheck gives no answer", answering: "DeviceCheck answers again",
                metadata: ["host": "\(address.host)"]),
            clock: clock, logger: logger)
        client.show(watch, of: address)
    }

    package func outage(at now: Timestamp) -> String? {
        watch.isFailing(at: now) ? "\(address.host) has failed too often just now" : nil
    }

    package func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        try await ask(about: evidence.body)
    }

    /// - Parameter token: the device's bytes.
    package func ask(about deviceToken: [UInt8]) async throws(AnswerSourceError) -> OutsideAnswer {
        let now = clock.now()
        guard watch.admitsOne(at: now) else {
            throw AnswerSourceError("\(address.host) has failed too often just now")
        }
        guard let text = try? await token.text() else { throw failed("no token of the team can be signed", begun: now) }
        let answer: VendorAnswer
        do throws(VendorError) {
            answer = try await client.call(request(deviceToken, text, now), at: address)
        } catch {
            switch error {
            case .busy, .closed, .cancelled: throw AnswerSourceError("\(error)")
            default: throw failed("\(error)", begun: now)
            }
        }
        let read = DeviceCheckAnswer(answer)
        if case .askerRefused(status: 401) = read { await token.forget() }
        switch read {
        case .bits(let bits):
            watch.succeeded()
            return .stated(bits.claims)
        case .tokenRefused:
            watch.succeeded()
            return .refused(Rejection(.vendorRefused, "Apple does not take the DeviceCheck token"))
        case .askerRefused(400):
            // Devices of the other environment can cause this at will: it does not count as a failure of the service.
            throw AnswerSourceError(read.problem)
        case .askerRefused, .nothing:
            throw failed(
                read.problem, begun: now, asked: answer.headers.retryAfterMilliseconds(at: clock.now()))
        }
    }

    /// A random UUID (RFC 9562 §5.4) in lower case.
    static func transactionID() -> String {
        var bytes = SecureRandom.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }.joined(separator: "-")
    }

    private func request(_ deviceToken: [UInt8], _ token: String, _ now: Timestamp) -> VendorRequest {
        // Base64, a UUID and a number: nothing needs escaping.
        let body = """
            {"device_token":"\(Base64.standard.encode(deviceToken))","transaction_id":"\(Self.transactionID())",\
            "timestamp":\(now.unixMilliseconds)}
            """
        return VendorRequest(
            .post, "/v1/query_two_bits",
            headers: [("authorization", "Bearer " + token), ("content-type", "application/json")], body: Array(body.utf8))
    }

    /// Counts a failure of the service.
    ///
    /// - Parameter begun: when the request was admitted.
    private func failed(_ problem: String, begun: Timestamp, asked: Int64? = nil) -> AnswerSourceError {
        watch.failed(problem, begun: begun, asked: asked)
        return AnswerSourceError(problem)
    }
}
