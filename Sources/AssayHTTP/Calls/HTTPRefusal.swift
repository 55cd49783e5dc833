import AssayRPC

/// Why a request is not taken as a call, by a status of HTTP: what stands in its head. Answered in JSON as errors of calls are.
struct HTTPRefusal: Error {
    let status: Int
    let error: RPCError
    let fields: [HTTPAnswer.Field]

    init(_ status: Int, _ error: RPCError, _ fields: [HTTPAnswer.Field] = []) {
        (self.status, self.error, self.fields) = (status, error, fields)
    }

    init(_ status: Int, _ message: String, _ fields: [HTTPAnswer.Field] = []) {
        self.init(status, RPCError(Self.code(of: status), message, reason: Self.reason(of: status)), fields)
    }

    // MARK: Of a head

    static let noHost = HTTPRefusal(400, "the request names no host")
    static let noLength = HTTPRefusal(400, "the content-length is not a length that is taken here")
    static let tooManyFields = HTTPRefusal(431, "the request has more header fields than are taken")
    static let tooLong = HTTPRefusal(431, "the header of the request is longer than is taken")
    static func twice(_ name: String) -> HTTPRefusal {
        HTTPRefusal(400, "the header field \(name) stands there more than once")
    }

    private static func code(of status: Int) -> RPCStatusCode {
        switch status {
        case 404, 405, 415, 505: .unimplemented
        case 431: .resourceExhausted
        default: .invalidArgument
        }
    }

    /// The reasons of refusals by a head. docs/reference/http.md lists them; none is ever renamed.
    private static func reason(of status: Int) -> String {
        switch status {
        case 405: "method_not_allowed"
        case 415: "unsupported_media_type"
        case 421: "misdirected_request"
        case 431: "header_too_long"
        case 505: "needs_http2"
        default: "bad_request"
        }
    }
}
