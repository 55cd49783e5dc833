import AssayCore

/// The members of an object of claims by name and type. Stricter than ``JSONFields``: a number is a number, and `null` is a value of another type.
struct ClaimFields {
    let object: JSONObject
    /// The names of what the object is in, joined by dots; empty for the claims themselves.
    private let path: String

    init(_ object: JSONObject, at path: String = "") { (self.object, self.path) = (object, path) }

    func place(_ name: String) -> String { path.isEmpty ? name : path + "." + name }

    func has(_ name: String) -> Bool { object[name.utf8] != nil }

    func text(_ name: String) throws(ResultFault) -> String {
        try required(name, optionalText(name))
    }

    func optionalText(_ name: String) throws(ResultFault) -> String? {
        guard let value = object[name.utf8] else { return nil }
        guard case .string(let text) = value else { throw mismatch(name, "a text") }
        return String(decoding: text, as: UTF8.self)
    }

    /// A text with at least one character.
    func filledText(_ name: String) throws(ResultFault) -> String {
        let text = try text(name)
        guard !text.isEmpty else { throw ResultFault(.wrongClaim, place(name), "is empty") }
        return text
    }

    /// An integer in its one spelling: no fraction, no exponent.
    func integer(_ name: String) throws(ResultFault) -> Int64 {
        guard let value = object[name.utf8] else { throw missing(name) }
        guard case .number(let digits) = value, let number = Int64(String(decoding: digits, as: UTF8.self)),
            String(number).utf8.elementsEqual(digits)
        else { throw mismatch(name, "an integer") }
        return number
    }

    func optionalFlag(_ name: String) throws(ResultFault) -> Bool? {
        guard let value = object[name.utf8] else { return nil }
        guard case .boolean(let flag) = value else { throw mismatch(name, "true or false") }
        return flag
    }

    func section(_ name: String) throws(ResultFault) -> ClaimFields {
        try required(name, optionalSection(name))
    }

    func optionalSection(_ name: String) throws(ResultFault) -> ClaimFields? {
        guard let value = object[name.utf8] else { return nil }
        guard case .object(let object) = value else { throw mismatch(name, "an object") }
        return ClaimFields(object, at: place(name))
    }

    /// A list that is not empty.
    func list(_ name: String) throws(ResultFault) -> [JSONValue] {
        guard let value = object[name.utf8] else { throw missing(name) }
        guard case .array(let elements) = value, !elements.isEmpty else { throw mismatch(name, "a list with elements") }
        return elements
    }

    private func required<Value>(_ name: String, _ value: Value?) throws(ResultFault) -> Value {
        guard let value else { throw missing(name) }
        return value
    }

    private func missing(_ name: String) -> ResultFault { ResultFault(.wrongClaim, place(name), "is missing") }

    private func mismatch(_ name: String, _ wanted: String) -> ResultFault {
        ResultFault(.malformed, place(name), "is not \(wanted)")
    }
}
