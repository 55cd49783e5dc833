import AssayListening
import Foundation
import NIOSSL

/// Tells why a client does not take a server's certificate. BoringSSL says `certificate_verify_failed` of each cause; which one it was
/// shows in the certificate and in the CAs that are trusted.
enum ServerCertificateFault {
    /// Names of a certificate that are shown.
    private static let nameLimit = 8

    /// Of a certificate that was not verified: what is in it may be anyone's word, and is only compared.
    ///
    /// - Parameters:
    ///   - authorities: the dates of the CAs that are trusted.
    ///   - now: seconds since 1970.
    static func explain(
        _ dates: TLSCredentials.Dates, authorities: [TLSCredentials.Dates], at now: Int64
    ) -> String {
        if dates.notAfter < dates.notBefore {
            return "the server's certificate ends \(text(dates.notAfter)), before it begins, \(text(dates.notBefore))"
        }
        if dates.notAfter < now {
            return "the server's certificate expired \(text(dates.notAfter)), and this machine's clock says \(text(now))"
        }
        if now < dates.notBefore {
            return
                "the server's certificate is valid from \(text(dates.notBefore)) only, and this machine's clock says \(text(now))"
        }
        let past = authorities.filter { $0.notAfter < now }.count
        let count = authorities.count
        guard past < count else {
            return "the CA certificates that are trusted here have expired, \(past) of \(count)"
        }
        return "the server's certificate is not from a CA that is trusted here"
            + (past > 0 ? ": \(past) of the \(count) CA certificates have expired" : "")
    }

    /// Of a verified certificate without the name of the address.
    static func explain(missing name: String, in certificate: NIOSSLCertificate) -> String {
        let names = names(of: certificate)
        guard !names.isEmpty else {
            return "the server's certificate does not have the name \(name): it has no name (subject alternative names)"
        }
        let shown = names.prefix(nameLimit).joined(separator: ", ") + (names.count > nameLimit ? ", …" : "")
        return "the server's certificate does not have the name \(name), but \(shown)"
    }

    /// Its DNS names and IP addresses. A certificate of a trusted CA has them, but a terminal shows them.
    private static func names(of certificate: NIOSSLCertificate) -> [String] {
        certificate._subjectAlternativeNames().compactMap { (name) -> String? in
            let bytes = Array(name.contents)
            switch (name.nameType, bytes.count) {
            case (.dnsName, _):
                return String(decoding: bytes.prefix(253).filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
            case (.ipAddress, 4): return bytes.map { String($0) }.joined(separator: ".")
            case (.ipAddress, 16):
                let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
                return groups.map { String($0, radix: 16) }.joined(separator: ":")
            default: return nil
            }
        }
    }

    private static func text(_ seconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }
}
