import AssayCore
import NIOCore
import NIOSSL

extension ServerName {
    /// Succeeds if the certificate that the server of a connection has shown has the name. Else the future fails as TLS does of another name, and the
    /// connection is closed: nothing of a call was sent.
    func verify(_ channel: any Channel) -> EventLoopFuture<Void> {
        let verified = channel.eventLoop.submit {
            let certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate()
            let names = certificate?._subjectAlternativeNames().filter { $0.nameType == .dnsName } ?? []
            guard names.contains(where: { matches($0.contents) }) else { throw NIOSSLExtraError.failedToValidateHostname }
        }
        // The HTTP client has forgotten the connection by then, and does not close it.
        verified.whenFailure { _ in channel.eventLoop.execute { channel.close(promise: nil) } }
        return verified
    }
}
