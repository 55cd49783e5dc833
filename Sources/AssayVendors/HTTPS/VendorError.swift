import AssayCore
import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why a vendor gave no answer. It says nothing about evidence. The sentences name the host and nothing of the request.
package enum VendorError: Error, Hashable, Sendable {
    /// The limit of calls in flight is reached.
    case busy
    /// The client was shut down.
    case closed
    /// No server listens there, or the network prevents the connection.
    case unreachable(host: String, why: String)
    case timedOut(host: String, milliseconds: Int64)
    /// The server's certificate is not trusted, or its TLS is too old.
    case untrusted(host: String, why: String)
    case tooLarge(host: String, limit: Int)
    /// The connection ended inside the answer, or the answer is not HTTP.
    case broken(host: String)
    case cancelled
    /// The service answered without the requested result.
    case refused(host: String, status: Int)
    /// The credentials could not be signed.
    case unsigned(host: String)
}

extension VendorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .busy: "too many calls to vendors are under way"
        case .closed: "the daemon stops, and asks vendors no more"
        case .unreachable(let host, let why): "\(host) cannot be reached: \(why)"
        case .timedOut(let host, let milliseconds): "\(host) did not answer within \(DurationText.exact(Int64(milliseconds)))"
        case .untrusted(let host, let why): "\(host) cannot be trusted: \(why)"
        case .tooLarge(let host, let limit): "\(host) answered with more than \(limit) bytes"
        case .broken(let host): "\(host) broke off in the middle of its answer"
        case .cancelled: "the call was given up"
        case .refused(let host, let status):
            (400..<429).contains(status)
                ? "\(host) does not serve who asks (status \(status))" : "\(host) has no answer now (status \(status))"
        case .unsigned(let host): "what \(host) is to be shown could not be signed"
        }
    }
}

extension VendorError {
    /// The HTTP client's error in our own words: its description may quote the request.
    init(_ error: any Error, host: String, limits: VendorSettings) {
        switch error {
        case let problem as VendorError: self = problem
        case is CancellationError: self = .cancelled
        case is NIOTooManyBytesError: self = .tooLarge(host: host, limit: limits.answerLimit)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self = .untrusted(host: host, why: Self.words(of: error))
        case let error as HTTPClientError: self = Self.read(error, host, limits)
        case let error as NIOConnectionError:
            let reasons = error.connectionErrors.compactMap { ($0.error as? IOError).map(Self.words(of:)) }
            self = .unreachable(host: host, why: reasons.first ?? "no address of it takes connections")
        case let error as IOError: self = .unreachable(host: host, why: Self.words(of: error))
        default: self = .broken(host: host)
        }
    }

    private static func read(_ error: HTTPClientError, _ host: String, _ limits: VendorSettings) -> VendorError {
        switch error {
        case .alreadyShutdown: .closed
        case .cancelled: .cancelled
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout, .socksHandshakeTimeout,
            .httpProxyHandshakeTimeout:
            .timedOut(host: host, milliseconds: limits.connectMilliseconds)
        case .readTimeout, .writeTimeout, .deadlineExceeded: .timedOut(host: host, milliseconds: limits.totalMilliseconds)
        default: .broken(host: host)
        }
    }

    private static func words(of error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "the connection was refused"
        case ENETUNREACH, EHOSTUNREACH: "there is no way to it"
        case ECONNRESET, EPIPE: "the connection was reset"
        default: "the system says error \(error.errnoCode)"
        }
    }

    /// BoringSSL's description if there is one.
    private static func words(of error: any Error) -> String {
        let text = "\(error)"
        guard let mark = text.firstRange(of: "OPENSSL_internal:") else {
            return error is NIOSSLExtraError ? "its certificate is for another name" : "the TLS handshake failed"
        }
        return text[mark.upperBound...].prefix { $0 != " " && $0 != "]" }.lowercased()
    }
}
