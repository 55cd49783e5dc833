package import AssayCore
import AssayEncoding

/// `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), strict DER, as the raw r ‖ s that the curve's
/// verifier takes. Both are at least 1 and no wider than the curve; the verifier checks that they are below its order.
package struct ECDSASignature: Hashable, Sendable {
    /// r and s, big-endian, each as wide as the curve's coordinates.
    package let raw: [UInt8]

    /// - Parameter width: octets of one coordinate: 32 for P-256, 48 for P-384.
    package init(der: ArraySlice<UInt8>, width: Int) throws(Rejection) {
        var raw: [UInt8] = []
        raw.reserveCapacity(2 * width)
        var outer = DERReader(der, code: .badSignature)
        let element = try outer.element(.sequence)
        try outer.finish("the signature")
        var numbers = DERReader(element.content, code: .badSignature)
        for _ in 0..<2 {
            var number = try numbers.integer()
            guard let first = number.first, first & 0x80 == 0 else {
                throw Rejection(.badSignature, "a negative number in the signature")
            }
            if first == 0 { number = number.dropFirst() }
            guard !number.isEmpty else { throw Rejection(.badSignature, "a zero in the signature") }
            guard number.count <= width else { throw Rejection(.badSignature, "a number in the signature is too wide") }
            for _ in number.count..<width { raw.append(0) }
            raw.append(contentsOf: number)
        }
        try numbers.finish("the signature's numbers")
        self.raw = raw
    }
}
