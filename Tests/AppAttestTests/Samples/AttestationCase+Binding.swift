import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension AttestationCase {
    private static func nonce(_ value: [UInt8], critical: Bool = false) -> CertificateBuilder.Extension {
        .init(ExtensionName.appleNonce, critical: critical, value)
    }

    private static let digest = DERWriter.octetString([UInt8](repeating: 1, count: 32))

    /// Rows 21 to 24: nonce and key id.
    static let bindings: [AttestationCase] = [
        .init(21, "no nonce", .malformedNonceExtension, .genuine.leaf { $0[ExtensionName.appleNonce] = nil }),
        .init(
            21, "two nonces", .malformedCertificate,
            .genuine.leaf { $0.extensions.append(.appleNonce([UInt8](repeating: 0, count: 32))) }),
        .init(21, "a nonce of 31 bytes", .malformedNonceExtension, .genuine.nonce { $0.removeLast() }),
        .init(21, "a nonce of 33 bytes", .malformedNonceExtension, .genuine.nonce { $0.append(0) }),
        .init(
            21, "a nonce under [2]", .malformedNonceExtension,
            .genuine.leaf {
                $0[ExtensionName.appleNonce] = nonce(DERWriter.sequence([DERWriter.context(2, [digest])]))
            }),
        .init(
            21, "bytes behind the nonce", .malformedNonceExtension,
            .genuine.leaf {
                $0[ExtensionName.appleNonce] = nonce(DERWriter.sequence([DERWriter.context(1, [digest, [0x05, 0x00]])]))
            }),
        .init(
            21, "bytes behind the extension", .malformedNonceExtension,
            .genuine.leaf { $0[ExtensionName.appleNonce]?.value += [0x05, 0x00] }),
        .init(21, "an empty extension", .malformedNonceExtension, .genuine.leaf { $0[ExtensionName.appleNonce] = nonce([]) }),
        .init(
            21, "a critical nonce", .malformedCertificate,
            .genuine.leaf { $0[ExtensionName.appleNonce]?.critical = true }),
        .init(22, "another challenge", .nonceMismatch) { $0.clientDataHash = [UInt8](repeating: 1, count: 32) },
        .init(22, "no challenge", .nonceMismatch) { $0.clientDataHash = [] },
        .init(22, "a challenge longer by one byte", .nonceMismatch) { $0.clientDataHash.append(0) },
        .init(22, "the raw challenge where its hash is expected", .nonceMismatch, .genuine.clientDataHash { $0 = [1, 2, 3] }),
        .init(22, "raw bytes that the caller expects", nil, .genuine.clientDataHash { $0 = [1, 2, 3] }) {
            $0.clientDataHash = [1, 2, 3]
        },
        .init(22, "a nonce of nothing", .nonceMismatch, .genuine.nonce { $0 = [UInt8](repeating: 0, count: 32) }),
        .init(23, "the first bit of the authenticator data", .nonceMismatch, .genuine.sentAuthenticatorBytes { $0[0] ^= 0x80 }),
        .init(23, "a flag", .nonceMismatch, .genuine.sentAuthenticatorBytes { $0[32] ^= 0x80 }),
        .init(23, "the counter", .nonceMismatch, .genuine.sentAuthenticatorBytes { $0[36] ^= 1 }),
        .init(
            23, "the last bit of the extensions", .nonceMismatch,
            .genuine.sentAuthenticatorBytes { $0[$0.count - 1] ^= 1 }),
        .init(23, "authenticator data of a byte less", .nonceMismatch, .genuine.sentAuthenticatorBytes { $0.removeLast() }),
        .init(23, "no authenticator data", .nonceMismatch, .genuine.sentAuthenticatorBytes { $0 = [] }),
        .init(24, "the key id of another key", .keyIDMismatch) { $0.keyID = { _ in [UInt8](repeating: 9, count: 32) } },
        .init(24, "a key id of 31 bytes", .keyIDMismatch) { $0.keyID = { Array($0.dropLast()) } },
        .init(24, "a key id of 33 bytes", .keyIDMismatch) { $0.keyID = { $0 + [0] } },
        .init(24, "no key id", .keyIDMismatch) { $0.keyID = { _ in [] } },
        .init(24, "a key id in Base64", .keyIDMismatch) { $0.keyID = { Array(Base64.standard.encode($0).utf8) } },
    ]
}
