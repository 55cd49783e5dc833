import AssayCore
import AssaySimulator
import AssayTesting
import Synchronization

/// What Google's services answer: bearer tokens, and the payload of each token that it knows, once; after that the verdicts are
/// blank, as those of a standard request are.
final class DecodeService: Sendable {
    private struct State {
        var payloads: [String: JSONDraft] = [:]
        var decodes: [String] = []
        /// What it answers in place of a payload.
        var trouble: TestHTTPSAnswer?
        var list = TestHTTPSAnswer(404)
    }

    private let state = Mutex(State())

    /// A token that stands for this payload.
    func token(_ payload: JSONDraft) -> String {
        let token = Self.stranger()
        state.withLock { $0.payloads[token] = payload }
        return token
    }

    /// What has the form of a token, and no payload that is known.
    static func stranger() -> String {
        let header = Array(#"{"alg":"A256KW","enc":"A256GCM"}"#.utf8)
        return ([header] + [40, 12, 300, 16].map { SecureRandom.bytes($0) }).map { Base64.url.encode($0) }
            .joined(separator: ".")
    }

    /// The tokens that were to be decoded, in order.
    var decodes: [String] { state.withLock { $0.decodes } }

    /// From now on every question about a token is answered so; `nil`: as it should be.
    func fail(_ answer: TestHTTPSAnswer?) { state.withLock { $0.trouble = answer } }

    /// From now on the list of revoked certificates is this; `nil`: there is none to be had.
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

    /// What the token says, as whoever asks next is told it.
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
