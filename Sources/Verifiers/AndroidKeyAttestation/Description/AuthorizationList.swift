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

    /// What the list states about a tag.
    package struct Statement: Hashable, Sendable {
        package let tag: AuthorizationTag
        package let value: Value
    }

    /// In the order of the tags' numbers. A list is short, and looked through faster than a dictionary is asked.
    package private(set) var statements: [Statement] = []
    package private(set) var unknown: [Unknown] = []
    /// The first statement whose value cannot be read, if its tag and length can. It has no value here.
    private(set) var malformed: Rejection?

    package init() {}

    /// Statements that genuine lists have at most, so that reading one allocates once.
    private static let usualStatements = 24

    /// Reads `SEQUENCE { [tag] EXPLICIT … }`.
    init(_ reader: inout DERReader, _ notes: inout DescriptionReader) throws(Rejection) {
        var list = DERReader(try reader.content(.sequence), code: reader.code)
        statements.reserveCapacity(Self.usualStatements)
        var seen: [UInt32] = []
        seen.reserveCapacity(Self.usualStatements)
        var (last, greatest) = (UInt32(0), UInt32(0))
        while !list.isAtEnd {
            let element = try list.element()
            let number = element.tag.number
            guard element.tag == .context(number) else { throw list.rejection("a statement without a tag of its own") }
            guard seen.count < Self.limit else { throw list.rejection("more than \(Self.limit) statements in a list") }
            guard number > greatest || !seen.contains(number) else { throw list.rejection("the tag \(number) stands twice") }
            seen.append(number)
            if number < last { notes.note(.tagsNotAscending) }
            (last, greatest) = (number, max(greatest, number))
            guard let tag = AuthorizationTag(rawValue: number) else {
                unknown.append(Unknown(number: number, content: Array(element.content)))
                continue
            }
            var content = DERReader(element.content, code: reader.code)
            do throws(Rejection) {
                let value = try content.field("[\(number)] \(tag.name)") { content throws(Rejection) in
                    let value = try Self.value(tag.shape, &content, &notes)
                    try content.finish("the value")
                    return value
                }
                add(value, tag)
            } catch {
                malformed = malformed ?? error
            }
        }
    }

    /// - Parameter tag: one that the list does not have.
    mutating func add(_ value: Value, _ tag: AuthorizationTag) {
        let before = statements.lastIndex { $0.tag.rawValue < tag.rawValue }
        statements.insert(Statement(tag: tag, value: value), at: before.map { $0 + 1 } ?? 0)
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
            guard try reader.content(.null).isEmpty else { throw reader.rejection("a NULL with content") }
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

    package subscript(tag: AuthorizationTag) -> Value? {
        // By index: an iterator would copy each.
        for index in statements.indices where statements[index].tag == tag { return statements[index].value }
        return nil
    }

    /// `nil` also if the number has more than 64 bits.
    package func number(_ tag: AuthorizationTag) -> UInt64? {
        if case .number(let number)? = self[tag] { number } else { nil }
    }

    package func numbers(_ tag: AuthorizationTag) -> [UInt64]? {
        if case .numbers(let numbers)? = self[tag] { numbers } else { nil }
    }

    package func text(_ tag: AuthorizationTag) -> String? {
        if case .text(let text)? = self[tag] { text } else { nil }
    }

    package func has(_ tag: AuthorizationTag) -> Bool { statements.indices.contains { statements[$0].tag == tag } }

    package var rootOfTrust: RootOfTrust? {
        if case .rootOfTrust(let root)? = self[.rootOfTrust] { root } else { nil }
    }

    package var application: AttestationApplicationID? {
        if case .application(let application)? = self[.attestationApplicationID] { application } else { nil }
    }

    /// These statements, completed by those of another list for tags that this list does not have.
    func completed(by other: AuthorizationList) -> AuthorizationList {
        var completed = AuthorizationList()
        (completed.statements, completed.unknown) = (statements, unknown)
        for statement in other.statements where !has(statement.tag) { completed.add(statement.value, statement.tag) }
        return completed
    }
}
