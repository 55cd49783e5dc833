import AssayEncoding

/// An ECDSA signature before encoding: r and s, big-endian and of fixed width.
public struct SignatureDraft: Hashable, Sendable {
    public var r: [UInt8]
    public var s: [UInt8]

    public init(r: [UInt8], s: [UInt8]) { (self.r, self.s) = (r, s) }

    init(fixedWidth bytes: [UInt8]) {
        self.init(r: Array(bytes.prefix(bytes.count / 2)), s: Array(bytes.suffix(bytes.count / 2)))
    }

    /// SEQUENCE { r, s }, as DER requires.
    public var der: [UInt8] { DERWriter.sequence([DERWriter.integer(unsigned: r), DERWriter.integer(unsigned: s)]) }

    /// r ‖ s, without DER.
    public var raw: [UInt8] { r + s }

    /// SEQUENCE { r, s } with `count` superfluous zero octets before each.
    public func der(leadingZeros count: Int) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: count + 1)
        return DERWriter.sequence([DERWriter.integer(content: zeros + r), DERWriter.integer(content: zeros + s)])
    }

    /// SEQUENCE { r, s } with the octets of r and s unchanged: negative if the first bit is set.
    public var derWithoutSignOctets: [UInt8] {
        DERWriter.sequence([DERWriter.integer(content: r), DERWriter.integer(content: s)])
    }

    /// The signature with the other value of s, n - s, which is equally valid: ECDSA has no canonical one. P-256 only.
    public var mirrored: SignatureDraft {
        var difference = Self.orderOfP256
        var borrow = 0
        for index in difference.indices.reversed() where index < s.count {
            let value = Int(difference[index]) - Int(s[index]) - borrow
            borrow = value < 0 ? 1 : 0
            difference[index] = UInt8(value & 0xFF)
        }
        return SignatureDraft(r: r, s: difference)
    }

    /// The one of `self` and `mirrored` whose s is the greater. P-256 only.
    public var highS: SignatureDraft { mirrored.s.lexicographicallyPrecedes(s) ? self : mirrored }

    /// The one of `self` and `mirrored` whose s is the smaller. P-256 only.
    public var lowS: SignatureDraft { mirrored.s.lexicographicallyPrecedes(s) ? mirrored : self }

    /// SEC 2 §2.4.2, n.
    static let orderOfP256: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}
