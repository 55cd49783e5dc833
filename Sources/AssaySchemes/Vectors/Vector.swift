package import AssayCore
package import Foundation

/// One test vector: evidence, the circumstances of its appraisal, and the true outcome.
package struct Vector {
    package let id: String
    package let kind: String
    package let verifyAt: Timestamp
    package let input: VectorInput
    package let expectation: Expectation
    /// Careful verifiers can differ: reported, not counted.
    package let disputed: Bool
    /// Made for the collection: no vendor signed any part of it.
    package let isSynthetic: Bool

    package struct Expectation {
        package let accept: Bool
        /// The accepted codes of a rejection; empty if none is stated.
        package let reasons: [String]
        /// The facts that must be read from the evidence.
        package let facts: [String: Any]
    }

    /// Reads a vector file. `nil` if the JSON is not a vector; throws if the vector is invalid.
    package init?(_ data: Data) throws(VectorError) {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw VectorError("not a JSON object")
        }
        guard let kind = object["kind"] as? String, let expect = object["expect"] as? [String: Any] else { return nil }
        guard let id = object["id"] as? String, let input = object["input"] as? [String: Any],
            let verdict = expect["verdict"] as? String, ["accept", "reject"].contains(verdict),
            let time = object["verify_at"] as? String, let verifyAt = Timestamp(rfc3339: time)
        else { throw VectorError("a vector without id, input, verify_at or verdict") }
        self.id = id
        self.kind = kind
        self.verifyAt = verifyAt
        self.input = VectorInput(input)
        let alternatives = expect["reason_alternatives"] as? [String] ?? []
        expectation = Expectation(
            accept: verdict == "accept", reasons: (expect["reason"] as? String).map { [$0] + alternatives } ?? [],
            facts: expect["facts"] as? [String: Any] ?? [:])
        disputed = object["disputed"] as? Bool ?? false
        isSynthetic = object["synthetic"] as? Bool ?? false
    }
}

/// The inputs of a vector, by name. An unreadable member is an error of the file and never counts as absent: without the whole
/// policy the outcome would prove nothing.
package struct VectorInput {
    private let members: [String: Any]
    /// The path of members to this object, for errors: `policy.`, or empty.
    private let path: String

    package init(_ members: [String: Any], path: String = "") { (self.members, self.path) = (members, path) }

    package func text(_ name: String) throws(VectorError) -> String? { try member(name, "a text") { $0 as? String } }
    package func texts(_ name: String) throws(VectorError) -> [String]? {
        try member(name, "a list of texts") { $0 as? [String] }
    }
    package func flag(_ name: String) throws(VectorError) -> Bool? { try member(name, "true or false") { $0 as? Bool } }
    package func object(_ name: String) throws(VectorError) -> [String: Any]? {
        try member(name, "an object") { $0 as? [String: Any] }
    }

    /// A member that is a list of objects, empty if it is absent.
    package func objects(_ name: String) throws(VectorError) -> [VectorInput] {
        try member(name, "a list of objects") { $0 as? [[String: Any]] }?.map { VectorInput($0, path: "\(path)\(name).") } ?? []
    }

    /// The JSON text of a member that is an object.
    package func json(_ name: String) throws(VectorError) -> [UInt8]? {
        guard let object = try object(name) else { return nil }
        guard let text = try? JSONSerialization.data(withJSONObject: object) else {
            throw VectorError("\(path)\(name) is no JSON object")
        }
        return Array(text)
    }

    package func number<T: FixedWidthInteger & Sendable>(_ name: String, _ type: T.Type = T.self) throws(VectorError) -> T? {
        try member(name, "a whole number of at most \(T.max)") { ($0 as? NSNumber).flatMap(Self.integer) }
    }
    package func numbers<T: FixedWidthInteger & Sendable>(_ name: String, _ type: T.Type = T.self) throws(VectorError) -> [T]? {
        try member(name, "a list of whole numbers of at most \(T.max)") { value in
            guard let numbers = value as? [NSNumber] else { return nil }
            let integers = numbers.compactMap { (number) -> T? in Self.integer(number) }
            return integers.count == numbers.count ? integers : nil
        }
    }

    /// A member that is an object, empty if it is absent.
    ///
    /// - Parameter known: the allowed members; another one is an error.
    package func section(_ name: String, known: [String]) throws(VectorError) -> VectorInput {
        let members = try object(name) ?? [:]
        for member in members.keys.sorted() where !known.contains(member) {
            throw VectorError("\(path)\(name).\(member): unknown; known are \(known.joined(separator: ", "))")
        }
        return VectorInput(members, path: "\(path)\(name).")
    }

    /// Standard Base64 with padding.
    package func bytes(_ name: String) throws(VectorError) -> [UInt8]? {
        try member(name, "Base64") { ($0 as? String).flatMap { Base64.standard.decode($0) } }
    }

    /// A list of Base64.
    package func byteList(_ name: String) throws(VectorError) -> [[UInt8]]? {
        try member(name, "a list of Base64") { value in
            guard let texts = value as? [String] else { return nil }
            let list = texts.compactMap { Base64.standard.decode($0) }
            return list.count == texts.count ? list : nil
        }
    }

    /// Bytes that the vector must contain.
    package func requiredBytes(_ name: String) throws(VectorError) -> [UInt8] {
        guard let bytes = try bytes(name) else { throw VectorError("\(path)\(name) is missing") }
        return bytes
    }

    /// Bytes of the evidence, which may be malformed: what is not even Base64 counts as empty.
    package func evidenceBytes(_ name: String) -> [UInt8] { (try? bytes(name)) ?? [] }

    /// `nil` for a member that is absent or `null`.
    private func member<T>(_ name: String, _ wanted: String, _ read: (Any) -> T?) throws(VectorError) -> T? {
        guard let value = members[name], !(value is NSNull) else { return nil }
        guard let result = read(value) else { throw VectorError("\(path)\(name): want \(wanted)") }
        return result
    }

    private static func integer<T: FixedWidthInteger & Sendable>(_ number: NSNumber) -> T? {
        guard Double(number.int64Value) == number.doubleValue else { return nil }
        return T(exactly: number.int64Value)
    }
}

/// A vector that cannot be run: the file is wrong, not the evidence.
package struct VectorError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
