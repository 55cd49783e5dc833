import AssayCore

/// The identifier octets of a DER element: class, form and number (X.690 §8.1.2).
public struct DERTag: Hashable, Sendable {
    /// The top three bits of the first octet: class (2) and whether the element is constructed (1).
    public let form: UInt8
    public let number: UInt32

    package init(form: UInt8, number: UInt32) { (self.form, self.number) = (form, number) }

    /// Whether the content consists of elements.
    package var isConstructed: Bool { form & 0x20 != 0 }

    package static let boolean = DERTag(form: 0x00, number: 1)
    package static let integer = DERTag(form: 0x00, number: 2)
    package static let bitString = DERTag(form: 0x00, number: 3)
    package static let octetString = DERTag(form: 0x00, number: 4)
    /// An OCTET STRING in pieces, which only BER has (X.690 §8.7.3).
    package static let constructedOctetString = DERTag(form: 0x20, number: 4)
    package static let null = DERTag(form: 0x00, number: 5)
    package static let objectIdentifier = DERTag(form: 0x00, number: 6)
    package static let enumerated = DERTag(form: 0x00, number: 10)
    package static let utcTime = DERTag(form: 0x00, number: 23)
    package static let generalizedTime = DERTag(form: 0x00, number: 24)
    public static let sequence = DERTag(form: 0x20, number: 16)
    package static let set = DERTag(form: 0x20, number: 17)

    /// Ends an indefinite length (X.690 §8.1.5).
    static let endOfContents = DERTag(form: 0x00, number: 0)

    /// `[number]` around other elements: EXPLICIT, or IMPLICIT over a constructed type.
    package static func context(_ number: UInt32) -> DERTag { DERTag(form: 0xA0, number: number) }
    /// `[number] IMPLICIT` over a primitive type.
    package static func implicit(_ number: UInt32) -> DERTag { DERTag(form: 0x80, number: number) }
}

extension DERTag: CustomStringConvertible {
    public var description: String {
        switch form & 0xC0 {
        case 0x00: universal
        case 0x40: "application \(number)"
        case 0x80: isConstructed ? "[\(number)]" : "primitive [\(number)]"
        default: "private \(number)"
        }
    }

    /// With the article.
    package var withArticle: String { ("AEIO".contains(description.first ?? "-") ? "an " : "a ") + description }

    /// X.680 §8.6, table 1.
    private var universal: String {
        guard let name = Self.universalNames[number] else { return "universal \(number)" }
        guard isConstructed != (number == 16 || number == 17) else { return name }
        return (isConstructed ? "constructed " : "primitive ") + name
    }

    private static let universalNames: [UInt32: String] = [
        1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL", 6: "OBJECT IDENTIFIER", 10: "ENUMERATED",
        12: "UTF8String", 16: "SEQUENCE", 17: "SET", 19: "PrintableString", 20: "T61String", 22: "IA5String", 23: "UTCTime",
        24: "GeneralizedTime", 28: "UniversalString", 30: "BMPString",
    ]
}

extension ByteCursor {
    /// The identifier octets of an element (X.690 §8.1.2), the same in BER and DER: numbers from 31 on follow in groups of
    /// seven bits, at most 28 bits of them here.
    mutating func tag() throws(Rejection) -> DERTag {
        let first = try byte()
        guard first & 0x1F == 0x1F else { return DERTag(form: first & 0xE0, number: UInt32(first & 0x1F)) }
        var number: UInt32 = 0
        for position in 0..<4 {
            let byte = try byte()
            guard position > 0 || byte != 0x80 else { throw rejection("a tag number with leading zeros") }
            number = number << 7 | UInt32(byte & 0x7F)
            if byte & 0x80 == 0 {
                guard number >= 31 else { throw rejection("a tag number in the long form that fits the short one") }
                return DERTag(form: first & 0xE0, number: number)
            }
        }
        throw rejection("a tag number of more than 28 bits")
    }
}
