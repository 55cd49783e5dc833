import AssayCore
import AssaySimulator
import AssayTesting
import Synchronization

/// The answers of Google's services: bearer tokens, and the payload of each known token, once; after that the verdicts are
/// cleared, as for standard requests.
final class DecodeService: Sendable {
    private struct State {
        var payloads: [String: JSONDraft] = [:]
        var decodes: [String] = []
        /// The answer in place of a payload.
        var trouble: TestHTTPSAnswer?
        var list = TestHTTPSAnswer(404)
    }

    private let state = Mutex(State())

    /// A token for this payload.
    func token(_ payload: JSONDraft) -> String {
        let token = Self.stranger()
        state.withLock { $0.payloads[token] = payload }
        return token
    }

    /// A text in the form of a token without a known payload.
    static func stranger() -> String {
        let header = Array(#"{"alg":"A256KW","enc":"A256GCM"}"#.utf8)
        return ([header] + [40, 12, 300, 16].map { SecureRandom.bytes($0) }).map { Base64.url.encode($0) }
            .joined(separator: ".")
    }

    /// The tokens in the decode requests, in order.
    var decodes: [String] { state.withLock { $0.decodes } }

    /// Sets the further answers to decode requests; `nil`: the regular ones.
    func fail(_ answer: TestHTTPSAnswer?) { state.withLock { $0.trouble = answer } }

    /// Sets the further revocation list; `nil`: none is available.
    func publish(_ list: String?) { state.withLock { $0.list = list.map { .json($0) } ?? TestHTTPSAnswer(503) } }

    func answer(_ request: TestHTTPSRequest) -> TestHTTPSAnswer {
        switch request.path {
        case "/token": .json(#"{"access_token":"bearer","expires_in":3599,"token_type":"Bearer"}"#)
        case "/v1/\(TestAndroid.package):decodeIntegrityToken": decode(request)
        case "/attestation/status": state.withLock { $0.list }
        default: TestHTTPSAnswer(404)
        }
    }

    private func decode(_ request: TestHTTPSRequest) -> TestHTTPSAnswer {
        guard request.header("authorization") == "Bearer bearer",
            let fields = try? JSONFields(parsing: request.body[...], code: .malformedToken),
            let token = try? fields.text("integrityToken")
        else { return TestHTTPSAnswer(401) }
        return decode(token)
    }

    /// The payload of the token for the next request.
    func decode(_ token: String) -> TestHTTPSAnswer {
        state.withLock { state in
            let before = state.decodes.count { $0 == token }
            state.decodes.append(token)
            if let trouble = state.trouble { return trouble }
            guard let payload = state.payloads[token] else { return TestHTTPSAnswer(400) }
            return .json(String(decoding: PlayConsole.decoded(before == 0 ? payload : payload.playCleared), as: UTF8.self))
        }
    }
}
