import AssayCore

/// A message of the API.
package final class MessageSchema: Sendable {
    /// A reader marks fields in 64 bits; the longest message of the API has 27.
    static let fieldLimit = 64

    /// The full name, such as `assay.v1.VerifyRequest`.
    package let name: String
    /// In the order of their numbers.
    package let fields: [FieldSchema]
    /// The names of the `oneof`s. Fields refer to them by position.
    package let choices: [String]

    init(name: String, fields: [FieldSchema], choices: [String]) {
        (self.name, self.choices) = (name, choices)
        self.fields = fields.sorted { $0.number < $1.number }
    }

    /// The position in `fields` of the field that JSON calls so, by either of its names.
    ///
    /// - Parameter next: where it probably is.
    func position(named name: ArraySlice<UInt8>, next: Int) -> Int? {
        if next < fields.count, fields[next].isNamed(name) { return next }
        return fields.firstIndex { $0.isNamed(name) }
    }

    /// The field that was probably meant by a name that no field has. The answer may be shown; the name may be a secret.
    func fieldMeant(by name: ArraySlice<UInt8>) -> FieldSchema? {
        guard (3...40).contains(name.count) else { return nil }
        // Spelling compares with words in lower case.
        let words = fields.map { $0.jsonName.lowercased() }
        return Spelling.nearest(to: String(decoding: name, as: UTF8.self), among: words)
            .flatMap { words.firstIndex(of: $0) }.map { fields[$0] }
    }

    /// The position in `fields` of the field with that number.
    ///
    /// - Parameter next: where it probably is.
    func position(numbered number: Int, next: Int) -> Int? {
        if next < fields.count, fields[next].number == number { return next }
        return fields.firstIndex { $0.number == number }
    }
}

/// A field of a message.
package final class FieldSchema: Sendable {
    package enum Kind: Hashable, Sendable {
        case boolean, int32, int64, uint32, uint64, double
        case text, bytes
        /// By its position in ``APISchema/enumerations``.
        case enumeration(Int)
        /// By its position in ``APISchema/messages``.
        case message(Int)
    }

    package enum Count: Hashable, Sendable {
        case single, repeated
        /// A field of entries with different keys, which are texts; the kind is that of the values.
        case map
    }

    package let number: Int
    /// As in the file: `key_id`.
    package let name: String
    /// As in JSON: `keyId`.
    package let jsonName: String
    package let kind: Kind
    package let count: Count
    /// Which of the message's ``MessageSchema/choices`` the field is a member of. Then it is present where it has its default value, too.
    package let choice: Int?
    private let spelling: [UInt8]
    private let jsonSpelling: [UInt8]
    /// The beginning of the member in JSON: `"keyId":`.
    let jsonMember: [UInt8]

    init(number: Int, name: String, jsonName: String, kind: Kind, count: Count, choice: Int?) {
        (self.number, self.name, self.jsonName) = (number, name, jsonName)
        (self.kind, self.count, self.choice) = (kind, count, choice)
        (spelling, jsonSpelling, jsonMember) = (Array(name.utf8), Array(jsonName.utf8), Array("\"\(jsonName)\":".utf8))
    }

    /// Names from outside are compared as bytes.
    func isNamed(_ name: ArraySlice<UInt8>) -> Bool { name.isSame(as: jsonSpelling) || name.isSame(as: spelling) }
}

/// An enumeration of the API.
package struct EnumerationSchema: Sendable {
    package struct Value: Hashable, Sendable {
        package let number: Int32
        /// As in the file and in JSON: `PURPOSE_REGISTER`.
        package let name: String
        let spelling: [UInt8]
        /// Without the enumeration's name: `REGISTER`.
        let shortSpelling: [UInt8]

        fileprivate init(number: Int32, name: String, prefix: [UInt8]) {
            (self.number, self.name, spelling) = (number, name, Array(name.utf8))
            shortSpelling = spelling.starts(with: prefix) ? Array(spelling.dropFirst(prefix.count)) : spelling
        }
    }

    /// The full name, such as `assay.v1.Purpose`.
    package let name: String
    /// In the order of the file.
    package let values: [Value]

    /// - Parameter values: in the order of the file.
    init(name: String, values: [(number: Int32, name: String)]) {
        self.name = name
        let prefix = Self.prefix(ofValuesIn: name)
        self.values = values.map { Value(number: $0.number, name: $0.name, prefix: prefix) }
    }

    /// What the names of its values begin with, as protobuf's style guide has it: `REVOCATION_REASON_` for `assay.v1.RevocationReason`.
    private static func prefix(ofValuesIn name: String) -> [UInt8] {
        let words = name.utf8.split(separator: UInt8(ascii: ".")).last ?? ""[...].utf8
        var prefix: [UInt8] = []
        for byte in words {
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            if isUpper && !prefix.isEmpty { prefix.append(UInt8(ascii: "_")) }
            prefix.append((UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte)
        }
        return prefix + [UInt8(ascii: "_")]
    }

    func value(_ number: Int32) -> Value? { values.first { $0.number == number } }

    /// The short names of the values that can be meant, for a message to a caller; `nil` if there are too many to list.
    var namesForPeople: [String]? {
        let names = values.map { String(decoding: $0.shortSpelling, as: UTF8.self) }.filter { $0 != "UNSPECIFIED" }
        return names.count <= 12 ? names : nil
    }

    /// Names from outside are compared as bytes.
    func value(named name: ArraySlice<UInt8>) -> Value? {
        values.first { name.isSame(as: $0.spelling) || name.isSame(as: $0.shortSpelling) }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func isSame(as other: [UInt8]) -> Bool { count == other.count && elementsEqual(other) }
}
