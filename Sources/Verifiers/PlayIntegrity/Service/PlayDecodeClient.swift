package import AssayCore
package import AssayVendors
package import Logging
import Synchronization

/// Has Google's service decode Play Integrity tokens: `POST /v1/{package}:decodeIntegrityToken`.
///
/// A token of a standard request is decoded a few times only; after that its verdicts are empty. So a request that may have
/// reached Google is never repeated: its result is final.
package final class PlayDecodeClient: AnswerSource {
    package static let scope = "https://www.googleapis.com/auth/playintegrity"
    /// The longest accepted answer, in bytes. Answers have about two kilobytes, and are cached as long as their challenges.
    static let answerLimit = 65_536

    private let client: VendorClient
    private let address: VendorAddress
    private let package: String
    private let access: GoogleAccess
    private let callLimit: Int
    private let clock: any WallClock
    private let watch: VendorHealth
    private let underWay = Mutex(0)

    /// - Parameters:
    ///   - package: the package of the tokens: letters, digits, underscores and dots.
    ///   - callLimit: requests in flight; more are refused at once, and may be repeated.
    package init(
        client: VendorClient, address: VendorAddress, package: String, access: GoogleAccess, callLimit: Int = 32,
        clock: any WallClock, logger: Logger
    ) {
        (self.client, self.address, self.package, self.access) = (client, address, package, access)
        (self.callLimit, self.clock) = (callLimit, clock)
        watch = VendorHealth(
            .onRequest,
            VendorHealth.Words(
                failing: "Play Integrity gives no answer", answering: "Play Integrity answers again",
                metadata: ["host": "\(address.host)", "package": "\(package)"]),
            clock: clock, logger: logger)
        client.show(watch, of: address)
    }

    package func outage(at now: Timestamp) -> String? {
        watch.isFailing(at: now) ? "\(address.host) has failed too often just now" : nil
    }

    package func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        try await decode(evidence.body)
    }

    /// - Parameter token: as the app received it.
    package func decode(_ token: [UInt8]) async throws(AnswerSourceError) -> OutsideAnswer {
        let now = clock.now()
        let mayAsk = underWay.withLock { underWay in
            guard underWay < min(callLimit, watch.admits(at: now)) else { return false }
            underWay += 1
            return true
        }
        guard mayAsk else { throw AnswerSourceError("\(address.host) has failed too often just now, or is asked too much") }
        defer { underWay.withLock { $0 -= 1 } }
        let bearer = try await bearer(now)
        let answer = try await ask(token, bearer: bearer, now)
        // An unauthorised request has decoded nothing: the bearer token was revoked. It is repeated once with a new one.
        guard case .success(let first) = answer, first.status == 401 else { return read(answer, now) }
        await access.forget(bearer)
        return read(try await ask(token, bearer: try await self.bearer(now), now), now)
    }

    private func bearer(_ begun: Timestamp) async throws(AnswerSourceError) -> String {
        do throws(VendorError) {
            return try await access.token()
        } catch {
            switch error {
            case .busy, .closed: throw AnswerSourceError("\(error)")
            default: throw AnswerSourceError(failed("no access: \(error)", begun: begun))
            }
        }
    }

    private func ask(
        _ token: [UInt8], bearer: String, _ begun: Timestamp
    ) async throws(AnswerSourceError) -> Result<VendorAnswer, VendorError> {
        let request = VendorRequest(
            .post, "/v1/\(package):decodeIntegrityToken",
            headers: [("authorization", "Bearer " + bearer), ("content-type", "application/json")],
            body: Array(#"{"integrityToken":""#.utf8) + token.flatMap(Self.escaped) + Array(#""}"#.utf8))
        do throws(VendorError) {
            return .success(try await client.call(request, at: address))
        } catch {
            switch error {
            case .busy, .closed: throw AnswerSourceError("\(error)")
            case .unreachable, .untrusted: throw AnswerSourceError(failed("\(error)", begun: begun))
            default: return .failure(error)
            }
        }
    }

    private func read(_ answer: Result<VendorAnswer, VendorError>, _ begun: Timestamp) -> OutsideAnswer {
        switch answer {
        case .failure(let problem): return .unavailable(failed("\(problem); it may have counted the question", begun: begun))
        case .success(let answer):
            switch answer.status {
            case 200 where answer.body.count > Self.answerLimit:
                let problem = VendorError.tooLarge(host: address.host, limit: Self.answerLimit)
                return .unavailable(failed("\(problem)", begun: begun))
            case 200:
                watch.succeeded()
                return .answered(answer.body)
            case 400:
                watch.succeeded()
                return .refused(Rejection(.vendorRefused, "Google does not take the token: it is none, or of another package"))
            case 403, 404:
                // A token of another app can cause this at will: it does not count as a failure of the service.
                let problem = "Google does not let the service account decode tokens of \(package) (status \(answer.status))"
                watch.noticed(problem)
                return .unavailable(problem)
            default:
                // 401 and 429 too: the service does not know the account, or its quota is used up.
                return .unavailable(
                    failed(
                        "\(address.host) answered with status \(answer.status)", begun: begun,
                        asked: answer.headers.retryAfterMilliseconds(at: clock.now())))
            }
        }
    }

    /// Counts a failure of the service.
    ///
    /// - Parameter begun: when the request was admitted.
    private func failed(_ problem: String, begun: Timestamp, asked: Int64? = nil) -> String {
        watch.failed(problem, begun: begun, asked: asked)
        return problem
    }

    /// A token is visible ASCII; two of its characters must be escaped in a JSON text.
    private static func escaped(_ byte: UInt8) -> [UInt8] {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
    }
}
