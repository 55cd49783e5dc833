public import AssayCore

/// What a device signs for a certificate.
extension ClientData {
    /// For a platform that cannot attest the key to be certified, such as App Attest: the payload is the certificate signing request.
    ///
    /// - Parameters:
    ///   - challenge: 54 bytes, issued for the purpose PROVISION. `nil` is returned for another length.
    ///   - csr: the DER that the request for the certificate carries, byte for byte.
    public static func provisioning(challenge: [UInt8], csr: [UInt8]) -> ClientData? {
        ClientData(purpose: .provision, challenge: challenge, payload: csr)
    }

    /// For a platform that attests the key to be certified, such as Android: made before there is a key, so that no payload is bound.
    ///
    /// - Parameter challenge: 54 bytes, issued for the purpose PROVISION. `nil` is returned for another length.
    public static func provisioning(challenge: [UInt8]) -> ClientData? {
        ClientData(purpose: .provision, challenge: challenge)
    }

    /// For a renewal: signed by the key of the current certificate, over the request for the next.
    ///
    /// - Parameters:
    ///   - challenge: 54 bytes, issued for the purpose RENEW. `nil` is returned for another length.
    ///   - csr: the DER that the request for the renewal carries, byte for byte.
    public static func renewal(challenge: [UInt8], csr: [UInt8]) -> ClientData? {
        ClientData(purpose: .renew, challenge: challenge, payload: csr)
    }
}
