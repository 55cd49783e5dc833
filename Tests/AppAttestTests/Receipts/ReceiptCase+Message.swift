import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension ReceiptCase {
    /// Rows 55 and 63: the message around the fields.
    static let messages: [Self] = [
        .init(55, "a byte of the content changed", .badSignature, .genuine.message { $0.content[16] ^= 1 }),
        .init(55, "a byte of the signature changed", .badSignature, .genuine.message { $0.signature[20] ^= 1 }),
        .init(55, "no signature", .badSignature, .genuine.message { $0.signature = [] }),
        .init(55, "two signers", .malformedCMS, .genuine.message { $0.signers = 2 }),
        .init(55, "no signer", .malformedCMS, .genuine.message { $0.signers = 0 }),
        .init(55, "signed by another key", .badSignature, .genuine.signingKey(TestSigningKey(.p256))),
        .init(
            55, "signed attributes without a signature", .badSignature,
            .genuine.message {
                $0.signedAttributes = SignedMessageDraft.attributes(of: $0.content)
            }),
        .init(
            55, "signed attributes over other content", .badSignature,
            .genuine.signedAttributes().message {
                $0.content[16] ^= 1
            }),
        .init(
            55, "signed attributes left out", .badSignature,
            .genuine.signedAttributes().message {
                $0.signedAttributes = nil
            }),
        .init(
            55, "signed attributes that describe nothing", .malformedCMS,
            .genuine.signedAttributes().message {
                $0.signedAttributes = DERWriter.set([])
            }),
        .init(
            55, "a digest other than SHA-256", .unsupportedAlgorithm,
            .genuine.message {
                $0.digestAlgorithm = DERWriter.sequence([DERWriter.objectIdentifier("2.16.840.1.101.3.4.2.2")])
            }),
        .init(
            55, "a signature algorithm other than ECDSA with SHA-256", .unsupportedAlgorithm,
            .genuine.message {
                $0.signatureAlgorithm = CertificateBuilder.Algorithm.ecdsaWithSHA384.der
            }),
        .init(55, "empty", .malformedCMS, .genuine.bytes { $0 = [] }),
        .init(55, "a byte behind it", .malformedCMS, .genuine.bytes { $0.append(0) }),
        .init(55, "cut short", .malformedCMS, .genuine.bytes { $0.removeLast() }),
        .init(55, "another kind of message", .malformedCMS, .genuine.bytes { $0[12] ^= 1 }),
        .init(
            55, "larger than any", .evidenceTooLarge,
            .genuine.message {
                $0.content += [UInt8](repeating: 0, count: ReceiptVerifier.sizeLimit)
            }),
        .init(
            63, "indefinite lengths inside each other", .malformedCMS,
            .genuine.bytes {
                $0 = Array(repeatElement([0x30, 0x80], count: 4000).joined()) + [UInt8](repeating: 0, count: 8000)
            }),
        .init(
            63, "pieces of no length", .malformedCMS,
            .genuine.message {
                $0.content = Array($0.content.prefix(300))
                $0.pieceLength = 1
            }),
        .init(63, "no end of contents", .malformedCMS, .genuine.bytes { $0.removeLast(2) }),
        .init(
            63, "more certificates than any needs", .malformedCMS,
            .genuine.message {
                $0.certificates += [[UInt8]](repeating: Sample.stranger.rootCertificate, count: 8)
            }),
    ]
}
