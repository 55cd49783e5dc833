import AssayAPI
import AssayCore
import AssayRPC

/// What a proxy is told about a request. Only ``Outcome/accepted`` lets it through; there is no other way to that than an accepted verdict that
/// binds the body which was asked for, or one that the app does not enforce, which the service is told.
struct AuthorizationAnswer: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        case accepted
        /// The evidence is not good.
        case rejected
        /// There is no verdict: gRPC's code, which is never ``AssayRPC/RPCStatusCode/ok``.
        case failed(RPCStatusCode)
    }

    /// How the front speaks with the proxy.
    enum Form: Hashable, Sendable {
        case envoy, subrequest

        /// Of a request that cannot be judged as it is. nginx passes on 401 and 403 only; any other status is to it a failure of its own.
        fileprivate var statusOfMalformed: Int { self == .envoy ? 400 : 403 }
    }

    let outcome: Outcome
    /// 200, 400, 403, 500 or 503.
    let status: Int
    /// Names in lower case, each once. Of an accepted request, these are for the service; otherwise for the client.
    let fields: [AuthorizationField]
    /// Empty, or a problem of RFC 9457.
    let body: [UInt8]

    /// - Parameters:
    ///   - verdict: the serialised `assay.v1.Verdict`, or why there is none; also why the request was not read.
    ///   - call: what was asked; `nil` where the request was not read.
    init(_ verdict: Result<[UInt8], RPCError>, to call: AuthorizationCall?, _ form: Form) {
        do throws(RPCError) {
            let verdict = try AuthorizationVerdict(serialized: try verdict.get())
            guard let call, verdict.decision == .accepted || verdict.decision == .rejected else {
                throw .verdictNotUnderstood
            }
            if verdict.decision == .rejected {
                self.init(rejected: verdict)
            } else if !verdict.wouldReject.isEmpty {
                self.init(notEnforced: verdict, call)
            } else {
                guard verdict.accepts(call) else { throw .verdictNotUnderstood }
                self.init(accepted: verdict, call)
            }
        } catch {
            self.init(error, form)
        }
    }

    private init(accepted verdict: AuthorizationVerdict, _ call: AuthorizationCall) {
        self.init(
            passing: verdict, call, assurance: verdict.assurance.word ?? "",
            DeviceID(bytes: verdict.device).map { AuthorizationField(.deviceID, $0.description) })
    }

    /// The device, which a rejection does not show, is left out. The body's SHA-256 is the client's word.
    private init(notEnforced verdict: AuthorizationVerdict, _ call: AuthorizationCall) {
        // The field's presence counts: the request is not let through without it.
        self.init(
            passing: verdict, call, assurance: "none",
            AuthorizationField(.wouldReject, verdict.wouldReject.isHeaderWord ? verdict.wouldReject : "other"))
    }

    /// What the service behind is told of every request that is let through.
    private init(
        passing verdict: AuthorizationVerdict, _ call: AuthorizationCall, assurance: String, _ own: AuthorizationField?
    ) {
        (outcome, status, body) = (.accepted, 200, [])
        var fields = [
            AuthorizationField(.app, call.app.text),
            AuthorizationField(.purpose, call.purpose == .register ? "register" : "assert"),
            AuthorizationField(.assurance, assurance), AuthorizationField(.requestID, Hex.encode(verdict.requestID)),
            AuthorizationField(.payloadDeclared, "\(call.isPayloadDeclared)"),
            AuthorizationField(.repeated, "\(verdict.repeated)"), AuthorizationField(.simulated, "\(verdict.simulated)"),
        ]
        if let own { fields.append(own) }
        if let payload = call.payload { fields.append(AuthorizationField(.payloadSHA256, Hex.encode(payload))) }
        self.fields = fields
    }

    private init(rejected verdict: AuthorizationVerdict) {
        self.init(
            .rejected,
            AuthorizationProblem(
                status: 403, detail: verdict.detail, reason: verdict.reason, check: verdict.check, retry: verdict.retry,
                requestID: verdict.requestID))
    }

    private init(_ error: RPCError, _ form: Form) {
        let code = error.code == .ok ? .internalError : error.code
        switch code {
        case .invalidArgument, .outOfRange:
            self.init(
                .failed(code),
                AuthorizationProblem(
                    status: form.statusOfMalformed, detail: error.message, reason: error.reason, retry: .never))
        case .unavailable, .resourceExhausted, .deadlineExceeded, .cancelled, .aborted:
            let milliseconds = error.retryAfterMilliseconds ?? 0
            self.init(
                .failed(code),
                AuthorizationProblem(
                    status: 503, detail: "No verdict can be given now.", reason: error.reason, retry: .later,
                    retryAfterSeconds: milliseconds == 0 ? Self.usualRetryAfter : (milliseconds - 1) / 1000 + 1))
        // The client may have named the app.
        case .notFound where error.reason == Self.unknownApp:
            self.init(
                .failed(code),
                AuthorizationProblem(
                    status: form.statusOfMalformed, detail: "There is no such app.", reason: error.reason, retry: .never))
        // What the proxy may not do, or the configuration does not have, is not the client's to know or to repair.
        case .ok, .unknown, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition, .unimplemented, .internalError,
            .dataLoss, .unauthenticated:
            self.init(
                .failed(code),
                AuthorizationProblem(
                    status: 500, detail: "The request could not be judged.", reason: error.reason, retry: .contactOperator))
        }
    }

    private init(_ outcome: Outcome, _ problem: AuthorizationProblem) {
        self.outcome = outcome
        (status, fields, body) = (problem.status, problem.fields, problem.json)
    }

    private static let unknownApp = "unknown_app"
    /// In seconds, where the daemon does not say.
    private static let usualRetryAfter: UInt32 = 5
}

/// Why a request is not let through, as `application/problem+json` (RFC 9457). The members beside those of the standard are `reason`, `check`,
/// `retry` and `requestId`, each left out where it is empty.
private struct AuthorizationProblem {
    let status: Int
    let detail: String
    let reason: String
    var check = ""
    let retry: Assay_V1_RetryClass
    var requestID: [UInt8] = []
    var retryAfterSeconds: UInt32?

    var fields: [AuthorizationField] {
        var fields = [
            AuthorizationField("content-type", "application/problem+json"), AuthorizationField("cache-control", "no-store"),
            AuthorizationField(.retry, retry.word),
        ]
        // For proxies that do not pass the body on. A verifier of others may have any code.
        if reason.isHeaderWord {
            fields.append(AuthorizationField(.reason, reason))
        }
        if !requestID.isEmpty { fields.append(AuthorizationField(.requestID, Hex.encode(requestID))) }
        if let retryAfterSeconds { fields.append(AuthorizationField("retry-after", "\(retryAfterSeconds)")) }
        return fields
    }

    /// The type is the default of the standard, under which the title is that of the status.
    var json: [UInt8] {
        var json = Array("{\"type\":\"about:blank\",\"title\":\"\(title)\",\"status\":\(status)".utf8)
        let members = [
            ("detail", detail), ("reason", reason), ("check", check), ("retry", retry.word),
            ("requestId", Hex.encode(requestID)),
        ]
        for (name, text) in members where !text.isEmpty {
            json += ",\"\(name)\":".utf8
            Array(text.utf8).withUnsafeBytes { JSONText.append(string: $0, to: &json) }
        }
        return json + "}".utf8
    }

    private var title: String {
        switch status {
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 503: "Service Unavailable"
        default: "Internal Server Error"
        }
    }
}

extension String {
    /// Whether it can be the value of a header of ours: 1 to 64 visible characters of ASCII.
    fileprivate var isHeaderWord: Bool {
        (1...64).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
