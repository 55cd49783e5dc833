/// The members of a JSON object by name and type, for readers of a known structure. A null member counts as absent, unknown
/// members are ignored, and a member of another type throws with the structure's code.
package struct JSONFields: Sendable {
    /// Elements of one list. The longest that any platform defines has 9.
    package static let listLimit = 64

    package let object: JSONObject
    package let code: ReasonCode
    /// The path of the object that this one is a member of, and its name there. They become a text for sentences alone.
    private let outer: String
    private let name: String

    /// Reads exactly one object.
    package init(parsing document: ArraySlice<UInt8>, code: ReasonCode) throws(Rejection) {
        guard case .object(let object) = try JSONReader.parse(document, code: code) else {
            throw Rejection(code, "not a JSON object", offset: document.startIndex)
        }
        self.init(object, code: code)
    }

    /// The members of an object that was read as part of another structure.
    package init(_ object: JSONObject, code: ReasonCode) {
        (self.object, self.code, outer, name) = (object, code, "", "")
    }

    private init(_ object: JSONObject, named name: String, in outer: JSONFields) {
        (self.object, code, self.outer, self.name) = (object, outer.code, outer.path, name)
    }

    /// The names of the path to the object, each followed by a dot.
    private var path: String { name.isEmpty ? outer : "\(outer)\(name)." }

    /// The member's path in the document, for a sentence about it.
    package func place(of name: String) -> String { path + name }

    /// Whether the object has the member, of any type.
    package func has(_ name: String) -> Bool { object[name.utf8] != nil }

    package func section(_ name: String) throws(Rejection) -> JSONFields? {
        guard let value = value(name) else { return nil }
        guard case .object(let object) = value else { throw mismatch(name, "an object") }
        return JSONFields(object, named: name, in: self)
    }

    package func text(_ name: String) throws(Rejection) -> String? {
        try utf8(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A text as its UTF-8.
    package func utf8(_ name: String) throws(Rejection) -> [UInt8]? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw mismatch(name, "a text") }
        return text
    }

    /// An integer of 64 bits, as a number or as a text of digits: protobuf writes both.
    package func integer(_ name: String) throws(Rejection) -> Int64? {
        let digits: ArraySlice<UInt8>
        switch value(name) {
        case nil: return nil
        case .number(let number): digits = number
        case .string(let text): digits = text[...]
        default: throw mismatch(name, "an integer")
        }
        guard let number = Self.integer(digits) else { throw mismatch(name, "an integer") }
        return number
    }

    /// An integer of 64 bits that is written as a number; `nil` for an absent member and every other value.
    package func number(_ name: String) -> Int64? {
        guard case .number(let digits)? = value(name) else { return nil }
        return Self.integer(digits)
    }

    /// One spelling for each number, so that all readers see the same one: no sign but a minus, no leading zero, no `-0`.
    private static func integer(_ digits: ArraySlice<UInt8>) -> Int64? {
        let isNegative = digits.first == UInt8(ascii: "-")
        let number = isNegative ? digits.dropFirst() : digits
        // So many digits fit into 64 bits without a sign.
        guard number.count <= 19, let first = number.first else { return nil }
        guard first != UInt8(ascii: "0") || number.count == 1 && !isNegative else { return nil }
        var magnitude: UInt64 = 0
        for digit in number {
            let value = digit &- UInt8(ascii: "0")
            guard value < 10 else { return nil }
            magnitude = magnitude * 10 + UInt64(value)
        }
        guard magnitude <= (isNegative ? Int64.min.magnitude : Int64.max.magnitude) else { return nil }
        return Int64(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude)
    }

    package func boolean(_ name: String) throws(Rejection) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .boolean(let flag) = value else { throw mismatch(name, "true or false") }
        return flag
    }

    package func texts(_ name: String) throws(Rejection) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { throw mismatch(name, "a list") }
        guard elements.count <= Self.listLimit else {
            throw Rejection(code, "\(path)\(name) has \(elements.count) elements, limit \(Self.listLimit)")
        }
        var texts: [String] = []
        for element in elements {
            guard case .string(let text) = element else { throw mismatch(name, "a list of texts") }
            texts.append(String(decoding: text, as: UTF8.self))
        }
        return texts
    }

    /// Throws if a required member is absent.
    package func required<Value>(_ name: String, _ value: Value?) throws(Rejection) -> Value {
        guard let value else { throw Rejection(code, "\(path)\(name) is missing") }
        return value
    }

    private func value(_ name: String) -> JSONValue? {
        guard let value = object[name.utf8] else { return nil }
        if case .null = value { return nil }
        return value
    }

    private func mismatch(_ name: String, _ wanted: String) -> Rejection {
        Rejection(code, "\(path)\(name) is not \(wanted)")
    }
}
