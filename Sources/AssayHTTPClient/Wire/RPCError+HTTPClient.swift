import AssayListening
import AssayRPC
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The errors that a client over HTTP makes itself, beside those of every transport.
extension RPCError {
    static let requestTooLong = RPCError(
        .resourceExhausted, "the message is longer than a message may be", reason: ClientReason.messageTooLarge)
    static let answerTooLong = RPCError(
        .internalError, "the answer is longer than an answer may be", reason: "reply_too_large")
    static let notHTTP = RPCError(.unavailable, "the server does not answer in HTTP", reason: protocolBroken.reason)
    static func unsendable(_ why: String) -> RPCError {
        RPCError(.invalidArgument, "the call cannot be sent over HTTP: \(why)", reason: "unsendable_call")
    }
    /// - Parameter type: the answer's content type; what is shown of it is bounded and printable.
    static func foreignAnswer(_ status: UInt, _ type: String) -> RPCError {
        let shown = String(decoding: type.utf8.lazy.filter { (0x20...0x7E).contains($0) }.prefix(64), as: UTF8.self)
        return RPCError(
            .unavailable,
            "the answer (status \(status), \(shown.isEmpty ? "no content type" : shown)) is not in the daemon's protocol: another server or a proxy gave it; whether the call was done is unknown",
            reason: "foreign_answer")
    }

    /// What an error of the HTTP client is to a call. Only where no byte of the request can have been sent it says that the call was not
    /// begun.
    init(_ error: any Error, at address: HTTPAddress, connectTimeout: Duration) {
        switch error {
        case let error as RPCError: self = error
        case is CancellationError: self = .cancelled
        case is NIOTooManyBytesError: self = .answerTooLong
        case HTTPParserError.invalidEOFState: self = RPCError.connectionLost.because(error)
        case is HTTPParserError: self = .notHTTP
        // The server says that it did not look at the request (RFC 9113 §8.7), as it does of those behind its GOAWAY (§6.8).
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream: self = .goingAway
        case let error as HTTPClientError: self.init(error, at: address, connectTimeout)
        case is NIOConnectionError: self = .connectFailed("\(address): \(Self.words(for: error, at: address))")
        case let error as IOError where [ECONNREFUSED, ENOENT, EACCES].contains(error.errnoCode):
            // Of connect alone: none of these ends a connection.
            self = .connectFailed("\(address): \(Self.words(for: error, at: address))")
        case _ where Self.isOfHandshake(error):
            // The request follows the client's side of the handshake.
            self = .connectFailed("\(address): \(Self.words(for: error, at: address))")
        default: self = RPCError.connectionLost.because(error)
        }
    }

    private init(_ error: HTTPClientError, at address: HTTPAddress, _ connectTimeout: Duration) {
        switch error {
        case .cancelled: self = .cancelled
        case .deadlineExceeded: self = .deadlineExceeded
        case .alreadyShutdown: self = .connectionClosed
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self = .connectFailed("\(address): no connection within \(connectTimeout / .seconds(1)) s")
        case .invalidURL, .emptyHost, .missingSocketPath: self = .unsendable(error.shortDescription)
        case _ where error.isOfHeaders: self = .unsendable(error.shortDescription)
        default: self = RPCError.connectionLost.because(error)
        }
    }

    private static func isOfHandshake(_ error: any Error) -> Bool {
        if case NIOSSLError.handshakeFailed = error { return true }
        return error as? NIOSSLExtraError == .failedToValidateHostname
    }

    private func because(_ error: any Error) -> RPCError {
        RPCError(code, message, reason: reason, retryAfterMilliseconds: retryAfterMilliseconds, cause: "\(error)")
    }

    /// Why no connection could be made, in words that tell what to check.
    static func words(for error: any Error, at address: HTTPAddress) -> String {
        switch error {
        case is NIOSSLError, is BoringSSLError: return "TLS: " + TLSFailure.explainToClient(error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "TLS: the server's certificate does not have the name of the address"
        case let error as HTTPClientError: return error.shortDescription
        default:
            let place: RPCAddress =
                switch address.place {
                case .network(let host, let port): .tcp(host: host, port: port)
                case .socket(let path): .unix(path: path)
                }
            return ConnectFailure.explain(error, at: place)
        }
    }
}

extension HTTPClientError {
    /// Whether a header's name or value cannot be sent.
    fileprivate var isOfHeaders: Bool {
        let text = shortDescription
        return text == HTTPClientError.invalidHeaderFieldNames([]).shortDescription
            || text == HTTPClientError.invalidHeaderFieldValues([]).shortDescription
    }
}
