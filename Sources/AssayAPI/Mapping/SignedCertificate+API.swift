package import AssayCore
import AssayProtobuf

/// Writes `assay.v1.IssueCertificateResponse` directly from the types of AssayCore. The field numbers are those of
/// `proto/assay/v1/provisioning.proto`.
extension SignedCertificate {
    /// The serialised message of the verdict on which the certificate was issued.
    ///
    /// - Parameter repeated: marks the verdict as one that was answered before.
    package func serialized(on verdict: Verdict, repeated: Bool) -> [UInt8] {
        ProtobufWriter.message(capacity: 4096) { writer in
            writer.writeMessage(1) { verdict.write(to: &$0, repeated: repeated) }
            writer.writeMessage(2) { $0.write(certificate) }
            for certificate in chain { writer.writeAlways(3, certificate) }
        }
    }
}

extension Verdict {
    /// The serialised `assay.v1.IssueCertificateResponse` without a certificate.
    package func serializedWithoutCertificate() -> [UInt8] {
        ProtobufWriter.message(capacity: 1024) { writer in
            writer.writeMessage(1) { write(to: &$0, repeated: false) }
        }
    }
}

extension ProtobufWriter {
    fileprivate mutating func write(_ certificate: DeviceCertificate) {
        write(1, certificate.der)
        write(2, certificate.name.serial)
        write(3, certificate.name.issuer)
        write(4, certificate.app.text)
        write(5, certificate.device.bytes)
        write(6, certificate.keyID)
        write(7, certificate.notBefore.unixMilliseconds)
        write(8, certificate.notAfter.unixMilliseconds)
        write(9, certificate.issuedAt.unixMilliseconds)
        let basis = certificate.basis
        write(10, Int64(basis.assurance.message.rawValue))
        write(11, Int64(basis.protection.message.rawValue))
        write(12, basis.platform.rawValue)
        write(13, basis.policyDigest)
        write(14, basis.simulated)
        if let revocation = certificate.revocation {
            writeMessage(15) {
                $0.write(1, Int64(revocation.reason.message.rawValue))
                $0.write(2, revocation.time.unixMilliseconds)
            }
        }
        if let name = certificate.renewedFrom {
            writeMessage(16) {
                $0.write(1, name.issuer)
                $0.write(2, name.serial)
            }
        }
    }
}
