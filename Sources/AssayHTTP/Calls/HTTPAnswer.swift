import NIOCore

/// The answer to a request, or its end, as every version of HTTP writes it. The head is left out by the version if it was written
/// before.
struct HTTPAnswer: Sendable {
    typealias Field = (name: String, value: String)

    enum Head: Sendable {
        /// That of every answer of the format, which is written from a constant.
        case usual(CallFormat)
        /// Names are in lower case.
        case other(status: Int, [Field])
    }

    var head: Head
    /// The id of the request, which stands in a usual head, too.
    var requestID: String?
    /// Empty: there is none.
    var body = ByteBuffer()
    /// Those of gRPC, written after the body, or with the head where there is neither a body nor an earlier head. `nil`: none.
    var trailers: Trailers?

    enum Trailers: Sendable {
        /// `grpc-status: 0`
        case ok
        case other([Field])

        var fields: [Field] {
            switch self {
            case .ok: [("grpc-status", "0")]
            case .other(let fields): fields
            }
        }
    }
}
