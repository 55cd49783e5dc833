import AppAttest
import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator

extension ReceiptCase {
    /// Rows 56 and 57: the signer.
    static let signers: [Self] = [
        .init(
            56, "a signer without the marker", .receiptSignerUnexpected,
            .genuine.signer {
                $0[ExtensionName.appleReceiptSigner] = nil
            }),
        .init(57, "anchored elsewhere", .untrustedRoot) { $0.anchors = try? Sample.anchors(Sample.stranger) },
        .init(57, "anchored at Apple's own roots only", .untrustedRoot) {
            $0.anchors = TrustAnchor.appAttest + TrustAnchor.appAttestReceipt
        },
        .init(57, "of another authority", .untrustedRoot) {
            $0.phone = Sample.phone(authority: Sample.stranger)
            $0.anchors = try? Sample.anchors()
        },
        .init(
            57, "a signer that the intermediate did not certify", .badSignature, .genuine.signerIssuer(TestSigningKey(.p256))),
        .init(
            57, "a root with a changed signature", .untrustedRoot,
            .genuine.message {
                $0.certificates[2][$0.certificates[2].count - 1] ^= 1
            }),
        .init(
            57, "an intermediate with a changed signature", .untrustedRoot,
            .genuine.message {
                $0.certificates[1][$0.certificates[1].count - 1] ^= 1
                $0.certificates.removeLast()
            }),
        .init(57, "no certificate of the signer", .malformedCMS, .genuine.message { $0.certificates.removeFirst() }),
        .init(57, "another serial number than the certificate's", .malformedCMS, .genuine.message { $0.serial[3] ^= 1 }),
        .init(
            57, "a superfluous certificate", .badChain,
            .genuine.message { $0.certificates.append(Sample.stranger.rootCertificate) }),
        .init(57, "no intermediate", .badChain, .genuine.message { $0.certificates.remove(at: 1) }),
        .init(
            57, "a certificate with a byte behind it", .malformedCertificate,
            .genuine.message {
                $0.certificates[0] = DERWriter.sequence([Array($0.certificates[0].dropFirst(4)), [0x05, 0x00]])
            }),
        .init(
            57, "an intermediate that is no CA", .badChain,
            .genuine.intermediate {
                $0["2.5.29.19"] = .basicConstraints(ca: false)
            }),
        .init(
            57, "an intermediate that may not sign certificates", .keyUsage,
            .genuine.intermediate {
                $0["2.5.29.15"] = .keyUsage(.digitalSignature)
            }),
        .init(57, "a signer that is a CA", .caUsedAsLeaf, .genuine.signer { $0["2.5.29.19"] = .basicConstraints(ca: true) }),
        .init(57, "a signer that may not sign", .keyUsage, .genuine.signer { $0["2.5.29.15"] = .keyUsage(.keyEncipherment) }),
        .init(
            57, "an unknown critical extension", .malformedCertificate,
            .genuine.signer {
                $0.extensions.append(.init("1.2.3.4", critical: true, [0x05, 0x00]))
            }),
        .init(
            57, "a signer's key on another curve", .unsupportedKey,
            .genuine.signer {
                $0.subjectPublicKeyInfo = TestSigningKey(.p384).subjectPublicKeyInfo
            }),
    ]
}
