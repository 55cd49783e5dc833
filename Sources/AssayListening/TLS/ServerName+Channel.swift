package import AssayCore
package import NIOCore
import NIOSSL

extension ServerName {
    /// Succeeds if the certificate that the server of a connection has shown has the name. Else the future fails as TLS does of another name, and the
    /// connection is closed: nothing of a request was sent.
    ///
    /// - Parameter allowsPlain: succeed for a connection without TLS, which otherwise fails.
    package func verify(_ channel: any Channel, allowsPlain: Bool = false) -> EventLoopFuture<Void> {
        let verified = channel.eventLoop.submit {
            guard let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self) else {
                guard allowsPlain else { throw NIOSSLExtraError.failedToValidateHostname }
                return
            }
            let names = tls.peerCertificate?._subjectAlternativeNames().filter { $0.nameType == .dnsName } ?? []
            guard names.contains(where: { matches($0.contents) }) else { throw NIOSSLExtraError.failedToValidateHostname }
        }
        // The HTTP client has forgotten the connection by then, and does not close it.
        verified.whenFailure { _ in channel.eventLoop.execute { channel.close(promise: nil) } }
        return verified
    }
}
