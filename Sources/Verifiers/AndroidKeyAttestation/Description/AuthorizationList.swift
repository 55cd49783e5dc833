import AssayCore
import AssayEncoding

/// One of the two lists of a key description: authorizations, each at most once. `KeyFacts` decides which of the two lists an
/// authorization is taken from.
package struct AuthorizationList: Hashable, Sendable {
    /// Statements in one list. The schema has about fifty.
    static let limit = 128

    package enum Value: Hashable, Sendable {
        case number(UInt64)
        /// An INTEGER of more than 64 bits, big-endian.
        case wide([UInt8])
        case numbers([UInt64])
        /// NULL: its presence is its value.
        case present
        case bytes([UInt8])
        case text(String)
        case rootOfTrust(RootOfTrust)
        case application(AttestationApplicationID)
    }

    /// A statement of a later version of the schema.
    package struct Unknown: Hashable, Sendable {
        package let number: UInt32
        /// The content of the tag.
        package let content: [UInt8]
    }

    package private(set) var values: [AuthorizationTag: Value] = [:]
    package private(set) var unknown: [Unknown] = []
    /// The first statement whose value cannot be read, if its tag and length can. It has no value here.
    private(set) var malformed: Rejection?

    package init() {}

    init(_ values: [AuthorizationTag: Value], unknown: [Unknown]) { (self.values, self.unknown) = (values, unknown) }

    /// Reads `SEQUENCE { [tag] EXPLICIT … }`.
    init(_ reader: inout DERReader, _ notes: inout DescriptionReader) throws(Rejection) {
        var list = DERReader(try reader.element(.sequence).content, code: reader.code)
        var seen: Set<UInt32> = []
        var last: UInt32 = 0
        while !list.isAtEnd {
            let element = try list.element()
            let number = element.tag.number
            guard element.tag == .context(number) else { throw list.rejection("a statement without a tag of its own") }
            guard seen.count < Self.limit else { throw list.rejection("more than \(Self.limit) statements in a list") }
            guard seen.insert(number).inserted else { throw list.rejection("the tag \(number) stands twice") }
            if number < last { notes.note(.tagsNotAscending) }
            last = number
            guard let tag = AuthorizationTag(rawValue: number) else {
                unknown.append(Unknown(number: number, content: Array(element.content)))
                continue
            }
            var content = DERReader(element.content, code: reader.code)
            do throws(Rejection) {
                values[tag] = try content.field("[\(number)] \(tag.name)") { content throws(Rejection) in
                    let value = try Self.value(tag.shape, &content, &notes)
                    try content.finish("the value")
                    return value
                }
            } catch {
                malformed = malformed ?? error
            }
        }
    }

    private static func value(
        _ shape: AuthorizationTag.Shape, _ reader: inout DERReader, _ notes: inout DescriptionReader
    ) throws(Rejection) -> Value {
        switch shape {
        case .number, .time, .origin: return try DescriptionReader.unsigned(&reader)
        case .numbers:
            var numbers: [UInt64] = []
            let code = reader.code
            try notes.set(&reader) { element throws(Rejection) in
                let value = try DERReader.parse(element.encoded, code: code) { number throws(Rejection) in
                    try DescriptionReader.unsigned(&number)
                }
                guard case .number(let number) = value else {
                    throw Rejection(code, "a value of a SET has more than 64 bits")
                }
                numbers.append(number)
            }
            return .numbers(numbers)
        case .flag:
            guard try reader.element(.null).content.isEmpty else { throw reader.rejection("a NULL with content") }
            return .present
        case .bytes: return .bytes(Array(try reader.octetString()))
        case .text:
            let bytes = try reader.octetString()
            return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(Array(bytes))
        case .rootOfTrust: return .rootOfTrust(try RootOfTrust(&reader, &notes))
        case .application:
            return .application(try AttestationApplicationID(parsing: try reader.octetString(), code: reader.code, &notes))
        }
    }

    // MARK: Values by type

    package subscript(tag: AuthorizationTag) -> Value? { values[tag] }

    /// `nil` also if the number has more than 64 bits.
    package func number(_ tag: AuthorizationTag) -> UInt64? {
        if case .number(let number)? = values[tag] { number } else { nil }
    }

    package func numbers(_ tag: AuthorizationTag) -> [UInt64]? {
        if case .numbers(let numbers)? = values[tag] { numbers } else { nil }
    }

    package func text(_ tag: AuthorizationTag) -> String? {
        if case .text(let text)? = values[tag] { text } else { nil }
    }

    package func has(_ tag: AuthorizationTag) -> Bool { values[tag] != nil }

    package var rootOfTrust: RootOfTrust? {
        if case .rootOfTrust(let root)? = values[.rootOfTrust] { root } else { nil }
    }

    package var application: AttestationApplicationID? {
        if case .application(let application)? = values[.attestationApplicationID] { application } else { nil }
    }

    /// These statements, completed by those of another list for tags that this list does not have.
    func completed(by other: AuthorizationList) -> AuthorizationList {
        AuthorizationList(values.merging(other.values) { own, _ in own }, unknown: unknown)
    }
}
