import AssayCore
import AssayEncoding

/// Reads the DER of a key description. It is strict except for the encoding errors that genuine devices are known to make,
/// which it notes. It always rejects wrong lengths, trailing bytes and wrong types.
struct DescriptionReader {
    /// Values of one SET. The longest SET seen has 3.
    static let setLimit = 64

    private(set) var quirks: Set<EncodingQuirk> = []

    mutating func note(_ quirk: EncodingQuirk) { quirks.insert(quirk) }

    /// A BOOLEAN of one octet; every octet but zero is true.
    mutating func boolean(_ reader: inout DERReader) throws(Rejection) -> Bool {
        let content = try reader.content(.boolean)
        guard content.count == 1, let octet = content.first else { throw reader.rejection("a BOOLEAN that is not one octet") }
        if octet != 0x00, octet != 0xFF { note(.booleanNotDER) }
        return octet != 0
    }

    /// The elements of a SET OF, in their order in the encoding.
    mutating func set(
        _ reader: inout DERReader, limit: Int = setLimit, _ body: (DERElement) throws(Rejection) -> Void
    ) throws(Rejection) {
        let content = try reader.content(.set)
        var elements = DERReader(content, code: reader.code)
        var (count, last) = (0, content.prefix(0))
        while !elements.isAtEnd {
            guard count < limit else { throw elements.rejection("a SET of more than \(limit) values") }
            count += 1
            let element = try elements.element()
            if element.encoded.lexicographicallyPrecedes(last) { note(.setNotSorted) }
            last = element.encoded
            try body(element)
        }
    }

    /// A non-negative INTEGER: as a number if it has at most 64 bits, otherwise as its octets.
    static func unsigned(_ reader: inout DERReader) throws(Rejection) -> AuthorizationList.Value {
        let content = try reader.integer()
        guard let first = content.first, first & 0x80 == 0 else { throw reader.rejection("a negative INTEGER") }
        let magnitude = first == 0 ? content.dropFirst() : content
        guard magnitude.count <= 8 else { return .wide(Array(magnitude)) }
        return .number(magnitude.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// An ENUMERATED value, in its shortest form.
    static func enumerated(_ reader: inout DERReader) throws(Rejection) -> Int {
        let content = try reader.content(.enumerated)
        guard content.count == 1, let value = content.first, value & 0x80 == 0 else {
            throw reader.rejection("an ENUMERATED that is none of the schema")
        }
        return Int(value)
    }
}

/// The DER errors that genuine devices make in a key description, by name. They are accepted and reported.
package enum EncodingQuirk: String, CaseIterable, Hashable, Sendable {
    /// TRUE encoded as another octet than FF.
    case booleanNotDER = "boolean_not_der"
    /// Authorization tags that are not in ascending order.
    case tagsNotAscending = "tags_not_ascending"
    case setNotSorted = "set_not_sorted"

    var meaning: String {
        switch self {
        case .booleanNotDER: "a BOOLEAN is TRUE in another octet than FF"
        case .tagsNotAscending: "authorization tags are out of order"
        case .setNotSorted: "a SET is not sorted"
        }
    }
}
