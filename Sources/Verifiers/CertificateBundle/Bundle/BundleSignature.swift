import AssayCertificates
import AssayCore
import Crypto

/// A bundle's signature: ECDSA on P-256, as 64 bytes or as strict DER, both numbers from 1 to the order less 1.
struct BundleSignature {
    enum Form: String {
        case raw
        case der
    }

    let form: Form
    private let raw: [UInt8]

    /// Throws `signature_malformed`. Does no cryptography.
    init(parsing bytes: [UInt8]) throws(Rejection) {
        if bytes.count == 64 {
            (form, raw) = (.raw, bytes)
        } else {
            do throws(Rejection) {
                (form, raw) = (.der, try ECDSASignature(der: bytes[...], width: 32).raw)
            } catch {
                // DER of 32 bytes exists too: both numbers short.
                throw Rejection(.signatureMalformed, "\(bytes.count) bytes that are not DER: \(error.detail)")
            }
        }
        for number in [raw.prefix(32), raw.suffix(32)] {
            guard number.contains(where: { $0 != 0 }), number.lexicographicallyPrecedes(Self.order) else {
                throw Rejection(.signatureMalformed, "a number of the signature is zero, or not below the order")
            }
        }
    }

    /// Whether the key signed a message with this SHA-256, 32 bytes.
    func isValid(by key: P256.Signing.PublicKey, over digest: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
        return key.isValidSignature(signature, for: ShownDigest(bytes: digest))
    }

    /// The order of P-256 (SEC 2 §2.4.2, n).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}

/// A SHA-256 of which only the value is known, as the callers of split mode show it.
private struct ShownDigest: Digest {
    static var byteCount: Int { 32 }
    let bytes: [UInt8]

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try bytes.withUnsafeBytes(body) }
    func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    static func == (a: Self, b: Self) -> Bool { a.bytes == b.bytes }
    var description: String { "SHA-256" }
}
