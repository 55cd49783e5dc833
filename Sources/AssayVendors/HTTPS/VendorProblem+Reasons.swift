import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

extension VendorProblem {
    /// The HTTP client's error in our own words: its description may quote the request.
    init(_ error: any Error, host: String, limits: VendorSettings) {
        switch error {
        case let problem as VendorProblem: self = problem
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

    private static func read(_ error: HTTPClientError, _ host: String, _ limits: VendorSettings) -> VendorProblem {
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

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
