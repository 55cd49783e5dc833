package import AssayRPC
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Explains why a connection failed, in words that tell what to check.
package enum ConnectFailure {
    package static func explain(_ error: any Error, at address: RPCAddress) -> String {
        switch error {
        case let error as RPCError: return error.message
        case let error as IOError: return explain(error.errnoCode, at: address)
        case ChannelError.connectTimeout(let limit):
            return "no connection within \(Double(limit.nanoseconds) / 1_000_000_000) s"
        case let error as NIOConnectionError:
            // One error for each address of the host; most are equal.
            var reasons: [String] = []
            for failure in error.connectionErrors {
                let reason = explain(failure.error, at: address)
                if !reasons.contains(reason) { reasons.append(reason) }
            }
            if !reasons.isEmpty { return reasons.joined(separator: "; ") }
            return error.dnsAError == nil && error.dnsAAAAError == nil
                ? "\(error)" : "the name \(error.host) leads to no address"
        default: return "\(error)"
        }
    }

    private static func explain(_ code: CInt, at address: RPCAddress) -> String {
        let words = String(cString: strerror(code))
        switch (code, address) {
        case (ECONNREFUSED, _): return "nobody listens there (\(words))"
        case (ENOENT, .unix): return "there is no such socket (\(words))"
        case (EACCES, .unix): return "the socket's mode or its folder's does not let this user connect (\(words))"
        default: return words
        }
    }
}

extension TLSFailure {
    /// Explains a failed handshake to a client: BoringSSL's words, and which side refused what.
    package static func explainToClient(_ error: any Error) -> String {
        let words = explain(error)
        guard let meaning = meanings.first(where: { words.contains($0.key) })?.value else { return words }
        return "\(words): \(meaning)"
    }

    private static let meanings: KeyValuePairs<String, String> = [
        "certificate_verify_failed": "the server's certificate is not from a CA that is trusted here, or out of date",
        "alert_unknown_ca": "the server does not know the CA of the certificate that is shown here",
        "alert_certificate_expired": "the server finds the certificate that is shown here out of date",
        "alert_unsupported_certificate": "the certificate that is shown here is not for clients",
        "alert_bad_certificate": "the server cannot use the certificate that is shown here",
        "alert_certificate_required": "the server wants a certificate",
        "alert_no_application_protocol": "the server speaks another protocol",
        "alert_protocol_version": "the server does not speak TLS 1.3",
        "unsupported_protocol": "the server does not speak TLS 1.3",
        "wrong_version_number": "the server does not speak TLS",
    ]
}
