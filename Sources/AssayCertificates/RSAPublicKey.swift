package import AssayCore
import AssayEncoding

/// `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }` (RFC 8017 §A.1.1).
package struct RSAPublicKey: Hashable, Sendable {
    /// Accepted sizes of keys, in bits. Shorter keys can be broken, longer ones only cost time.
    package static let sizes = 2048...4096
    /// Sizes accepted below a root whose private key is public (`TrustAnchor.isSoftware`).
    package static let weakSizes = 1024...4096

    /// Bits of the modulus.
    package let bits: Int
    /// Big-endian, without leading zeros.
    package let exponent: ArraySlice<UInt8>

    package init(_ info: SubjectPublicKeyInfo) throws(Rejection) {
        (bits, exponent) = try DERReader.parse(info.keyBytes, code: .unsupportedKey) { outer throws(Rejection) in
            try outer.sequence { numbers throws(Rejection) in
                (Self.bits(try Self.positive(&numbers)), try Self.positive(&numbers))
            }
        }
    }

    private static func bits(_ number: ArraySlice<UInt8>) -> Int {
        number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
    }

    private static func positive(_ numbers: inout DERReader) throws(Rejection) -> ArraySlice<UInt8> {
        let content = try numbers.integer()
        guard let first = content.first, first & 0x80 == 0, content.count > 1 || first != 0 else {
            throw numbers.rejection("a number of an RSA key is not positive")
        }
        return first == 0 ? content.dropFirst() : content
    }
}
