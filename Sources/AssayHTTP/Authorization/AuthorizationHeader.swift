import AssayRPC

/// A header field in which a client, or the proxy for it, states what is judged before its request reaches a service. Each is given at most
/// once; only ``evidence`` is a list.
///
/// All values are visible ASCII. An empty value is the same as none, so that a proxy takes away by it what a client sent.
enum AuthorizationHeader: String, CaseIterable, Sendable {
    case app = "assay-app"
    /// `assert`, as where it is left out, or `register`.
    case purpose = "assay-purpose"
    /// Base64 or base64url of the challenge.
    case challenge = "assay-challenge"
    /// The context that the challenge was issued for, as text.
    case context = "assay-context"
    /// The JSON of `assay.v1.Evidence`, several pieces with commas between them: what a repeated field is when it is joined.
    case evidence = "assay-evidence"
    /// SHA-256 of the request's body, which the device signed: 64 hexadecimal digits, Base64 or base64url.
    case contentSHA256 = "assay-content-sha256"
    case subject = "assay-subject"
    case idempotencyKey = "idempotency-key"

    /// The longest value in bytes. That of evidence is above what proxies and fronts let through.
    var limit: Int {
        switch self {
        case .app, .context, .idempotencyKey: 64
        case .purpose: 16
        case .challenge, .contentSHA256: 128
        case .evidence: 65_536
        case .subject: 256
        }
    }

    /// What an answer says for the service behind the proxy: it is never a client's word.
    enum Answered: String, CaseIterable, Sendable {
        case app = "assay-app"
        case purpose = "assay-purpose"
        /// As it is shown elsewhere: `dev_` and 32 hexadecimal digits.
        case deviceID = "assay-device-id"
        /// `software`, `platform`, `hardware` or `secure_element`; `none` beside ``wouldReject``.
        case assurance = "assay-assurance"
        /// 32 hexadecimal digits, as in the log.
        case requestID = "assay-request-id"
        /// `false`: the SHA-256 was computed here, from the whole body. `true`: only the device vouches for it, and the service computes it.
        case payloadDeclared = "assay-payload-declared"
        /// 64 hexadecimal digits; left out where no body is bound.
        case payloadSHA256 = "assay-payload-sha256"
        /// `true`: this request was accepted before, under the same idempotency key.
        case repeated = "assay-repeated"
        /// `true`: the trust is that of a test root.
        case simulated = "assay-simulated"
        /// Of a request that is let through because the app does not enforce its verdicts: the code of the rejection. Nothing is known of the device
        /// and of the body.
        case wouldReject = "assay-would-reject"
        /// Of a refusal: a stable word, and what the client may do next.
        case reason = "assay-reason"
        case retry = "assay-retry"
    }
}

/// A header field, its name in lower case.
struct AuthorizationField: Hashable, Sendable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    init(_ header: AuthorizationHeader.Answered, _ value: String) { self.init(header.rawValue, value) }
}

/// Requests that cannot be judged as they are. The messages name headers and hold nothing of their values.
extension RPCError {
    static func missing(_ header: AuthorizationHeader) -> RPCError {
        RPCError(.invalidArgument, "the header \(header.rawValue) is missing", reason: "header_missing")
    }

    static func repeated(_ header: AuthorizationHeader) -> RPCError {
        RPCError(.invalidArgument, "the header \(header.rawValue) is given more than once", reason: "header_repeated")
    }

    static func tooLong(_ header: AuthorizationHeader) -> RPCError {
        RPCError(
            .invalidArgument, "the header \(header.rawValue) has more than \(header.limit) bytes", reason: "header_too_long")
    }

    /// - Parameter problem: the end of a sentence that begins with the header.
    static func malformed(_ header: AuthorizationHeader, _ problem: String) -> RPCError {
        RPCError(.invalidArgument, "the header \(header.rawValue) \(problem)", reason: "header_malformed")
    }

    /// The body that arrived is not the one that the device is said to have signed.
    static let contentMismatch = RPCError(
        .invalidArgument, "the body is not the one that \(AuthorizationHeader.contentSHA256.rawValue) names",
        reason: "content_sha256_mismatch")

    /// A digest of a part of a body says nothing of the rest.
    static let partialBody = RPCError(
        .invalidArgument, "the body is longer than the proxy passes on to be judged", reason: "partial_body")

    /// The proxy passes the body on as text, in which it has replaced what is not UTF-8: a digest of it is not that of the body.
    static let bodyAsText = RPCError(
        .failedPrecondition, "the proxy must pass the body on as bytes (pack_as_bytes)", reason: "body_as_text")

    /// The proxy's configuration names what no request has: no client can repair it.
    static let unknownParameter = RPCError(
        .failedPrecondition, "only app and purpose may be set for the requests of a proxy, each once",
        reason: "unknown_parameter")

    static let tooManyHeaders = RPCError(.invalidArgument, "the request has too many headers", reason: "too_many_headers")

    /// An accepted verdict that does not say what was asked: it lets nothing through.
    static let verdictNotUnderstood = RPCError(
        .internalError, "the verdict is not an answer to the request", reason: "verdict_not_understood")
}
