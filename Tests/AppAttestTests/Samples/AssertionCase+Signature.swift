import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension AssertionCase {
    private static func signature(_ name: String, _ write: @escaping @Sendable (SignatureDraft) -> [UInt8]) -> AssertionCase {
        .init(44, name, .badSignature, .genuine.signature(write))
    }

    private static let zero = [UInt8](repeating: 0, count: 32)
    /// The order of P-256 (SEC 2 §2.4.2): the smallest number that is too large.
    private static let order =
        Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551") ?? []

    /// Rows 43 to 47 and 53: the signed bytes, the signer, and the encoding.
    static let signatures: [AssertionCase] = [
        .init(43, "a nonce that was hashed once", .badSignature, .genuine.hashing(.single)),
        signature("r and s without DER") { $0.raw },
        signature("a zero before the numbers") { $0.der(leadingZeros: 1) },
        signature("negative numbers") {
            DERWriter.sequence([
                DERWriter.integer(content: [0x80] + $0.r.dropFirst()), DERWriter.integer(content: [0x80] + $0.s.dropFirst()),
            ])
        },
        signature("a byte behind the signature") { $0.der + [0] },
        signature("a number behind the numbers") {
            DERWriter.sequence([
                DERWriter.integer(unsigned: $0.r), DERWriter.integer(unsigned: $0.s), DERWriter.integer(1),
            ])
        },
        signature("one number") { DERWriter.sequence([DERWriter.integer(unsigned: $0.r)]) },
        signature("r of zero") { SignatureDraft(r: zero, s: $0.s).der },
        signature("s of zero") { SignatureDraft(r: $0.r, s: zero).der },
        signature("r and s of zero") { _ in SignatureDraft(r: zero, s: zero).der },
        signature("r of the order") { SignatureDraft(r: order, s: $0.s).der },
        signature("s of the order") { SignatureDraft(r: $0.r, s: order).der },
        signature("r of 33 bytes") { SignatureDraft(r: [1] + $0.r, s: $0.s).der },
        signature("r of 2000 bytes") { SignatureDraft(r: [UInt8](repeating: 1, count: 2000), s: $0.s).der },
        signature("r and s of one") { _ in DERWriter.sequence([DERWriter.integer(1), DERWriter.integer(1)]) },
        signature("a length that is not the shortest") {
            DERWriter.sequence(
                [DERWriter.integer(unsigned: $0.r), DERWriter.integer(unsigned: $0.s)], length: .octets(1))
        },
        signature("an indefinite length") {
            DERWriter.sequence([DERWriter.integer(unsigned: $0.r), DERWriter.integer(unsigned: $0.s)], length: .indefinite)
        },
        signature("a SET of numbers") {
            DERWriter.set([DERWriter.integer(unsigned: $0.r), DERWriter.integer(unsigned: $0.s)])
        },
        signature("no signature") { _ in [] },
        signature("an empty sequence") { _ in [0x30, 0x00] },
        signature("r and s exchanged") { SignatureDraft(r: $0.s, s: $0.r).der },
        .init(44, "the greater s, which is just as good", nil, .genuine.signature { $0.highS.der }),
        .init(44, "the smaller s", nil, .genuine.signature { $0.lowS.der }),
        .init(45, "other client data", .badSignature) { $0.clientDataHash[31] ^= 1 },
        .init(45, "client data of another length", .badSignature) { $0.clientDataHash.append(0) },
        .init(45, "a changed counter", .badSignature, .genuine.sentAuthenticatorBytes { $0[36] ^= 2 }),
        .init(45, "a changed App ID", .badSignature, .genuine.sentAuthenticatorBytes { $0[0] ^= 2 }),
        .init(45, "a changed flag", .badSignature, .genuine.sentAuthenticatorBytes { $0[32] ^= 0x80 }),
        .init(45, "extensions added afterwards", .badSignature, .genuine.sentAuthenticatorBytes { $0.append(0xA0) }) {
            $0.phone = Sample.phone("18.5")
        },
        .init(45, "extensions taken away", .badSignature, .genuine.sentAuthenticatorBytes { $0 = Array($0.prefix(37)) }),
        .init(46, "the signature of another key", .badSignature, .genuine.signer(TestSigningKey(.p256))),
        .init(46, "a signature on another curve", .badSignature, .genuine.signer(TestSigningKey(.p384))),
        .init(46, "a stored key that is none", .unsupportedKey) {
            $0.found = { try? Sample.device($0.registration.with(publicKey: [4, 1, 2])) }
        },
        .init(
            47, "the App ID of another allowed app", .appIDMismatch,
            .genuine.authenticatorData { $0.rpIDHash = AuthenticatorDataDraft.rpIDHash(appID: Sample.otherAppID) }
        ) { $0.identities = [Sample.identity(), Sample.identity(Sample.otherAppID)] },
        .init(
            53, "client data of a registration", .badSignature,
            .genuine.clientDataHash { $0 = ClientData(purpose: .register, challenge: challenge)?.hash ?? [] }
        ) { $0.clientDataHash = ClientData(purpose: .assert, challenge: challenge)?.hash ?? [] },
        .init(
            53, "client data of an assertion", nil,
            .genuine.clientDataHash { $0 = ClientData(purpose: .assert, challenge: challenge)?.hash ?? [] }
        ) { $0.clientDataHash = ClientData(purpose: .assert, challenge: challenge)?.hash ?? [] },
    ]

    private static let challenge = [UInt8](repeating: 7, count: Challenge.length)
}
