import AppAttest
import AssayCore
import AssayEncoding
import AssaySimulator

extension AssertionCase {
    private static func cut(_ count: Int) -> AssertionCase {
        .init(
            33, "authenticator data of \(count) bytes", .malformedAuthData,
            .genuine.authenticatorBytes { $0 = Array($0.prefix(count)) })
    }

    /// Rows 1 to 7, 33 and 52, for assertions.
    static let shapes: [AssertionCase] =
        [
            .init(1, "no bytes", .malformedCBOR, .genuine.bytes { $0 = [] }),
            .init(1, "one byte", .malformedCBOR, .genuine.bytes { $0 = [0xA2] }),
            .init(1, "random bytes", .malformedCBOR, .genuine.bytes { $0 = Mutator(seed: 2).randomBytes(140) }),
            .init(1, "a byte more than 4 KiB", .evidenceTooLarge, .genuine.bytes { $0 = [UInt8](repeating: 0, count: 4097) }),
            .init(2, "a byte behind the object", .malformedCBOR, .genuine.bytes { $0.append(0) }),
            .init(3, "an indefinite length", .malformedCBOR, .genuine.object { $0.indefinite = true }),
            .init(
                4, "the signature twice", .malformedCBOR,
                .genuine.object { $0.append("signature", $0["signature"] ?? []) }),
            .init(5, "the signature as text", .malformedCBOR, .genuine.object { $0["signature"] = CBORWriter.text("a") }),
            .init(
                5, "authenticator data as an array", .malformedCBOR,
                .genuine.object { $0["authenticatorData"] = CBORWriter.array([]) }),
            .init(5, "no signature", .malformedCBOR, .genuine.object { $0["signature"] = nil }),
            .init(5, "no authenticator data", .malformedCBOR, .genuine.object { $0["authenticatorData"] = nil }),
            .init(
                6, "a length of 2^63", .malformedCBOR,
                .genuine.object { $0["authenticatorData"] = CBORWriter.head(2, 1 << 63) }),
            .init(
                7, "a thousand levels", .malformedCBOR,
                .genuine.object { $0.append("x", [UInt8](repeating: 0x81, count: 1000) + [0]) }),
            .init(
                52, "an attestation in its place", .malformedCBOR,
                .genuine.object {
                    $0 = CBORMap()
                    $0.append("fmt", CBORWriter.text("apple-appattest"))
                    $0.append("attStmt", CBORMap().bytes)
                    $0.append("authData", CBORWriter.bytes([UInt8](repeating: 0, count: 164)))
                }),
        ] + [0, 1, 31, 32, 33, 36].map(cut)

    /// Row 42: the owner of the key.
    static let devices: [AssertionCase] = [
        .init(42, "an unregistered key", .unknownDevice) { $0.found = { _ in nil } },
        .init(42, "the device of another key", .unknownDevice) {
            $0.found = { try? Sample.device($0.registration.with(keyID: [UInt8](repeating: 1, count: 32))) }
        },
        .init(42, "a device of another kind", .unknownDevice) {
            $0.found = { try? Sample.device($0.registration.with(format: EvidenceFormat(rawValue: "key-attestation.chain"))) }
        },
    ]
}
