import AssayProtobuf

/// Reads the fields of requests of the hot path.
typealias RequestReader = ProtobufReader<RequestRules>

enum RequestRules: ProtobufRules {
    static var malformed: RequestReadingError { .malformed }
    static var dropsHighBits: Bool { true }
}

/// Why a request was not read.
enum RequestReadingError: Error {
    /// The bytes are not a message.
    case malformed
    /// The message breaks a rule of the API that only its bytes show.
    case rule(RequestError)
}
