import AssayAPI
import AssayCore
import Crypto
import Foundation
import SwiftProtobuf

extension ServiceHarness {
    /// A request for a certificate of a key, under a signature by the key of the current certificate.
    ///
    /// - Parameters:
    ///   - current: the key id of the current certificate, 32 bytes.
    ///   - next: SubjectPublicKeyInfo (DER).
    func renewal(of current: [UInt8], to next: [UInt8]) async throws -> Assay_V1_RenewCertificateRequest {
        let challenge = try await challenge(.renew)
        return .with {
            $0.app = AppID.camera.text
            $0.challenge = Data(challenge)
            $0.signature = .with {
                $0.keyID = Data(current)
                $0.algorithm = .ecdsaP256Sha256
                $0.signature = Data("signature".utf8)
            }
            $0.csr = Data(StandInAuthority.csr(next))
        }
    }

    func renew(
        _ current: [UInt8], to next: [UInt8] = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)
    ) async throws -> Assay_V1_IssueCertificateResponse {
        try await call(API.renewCertificate, try await renewal(of: current, to: next))
    }
}
