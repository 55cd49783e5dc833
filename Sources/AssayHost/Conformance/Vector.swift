import AssayCore
import Foundation

/// One test vector: evidence, the circumstances in which it is judged, and the true outcome.
struct Vector {
    let id: String
    let kind: String
    let verifyAt: Timestamp
    let input: VectorInput
    let expectation: Expectation
    /// Careful verifiers can differ: reported, not counted.
    let disputed: Bool
    /// Made for the collection: no vendor signed any part of it.
    let isSynthetic: Bool

    struct Expectation {
        let accept: Bool
        /// The codes that are right for a rejection; empty where none is stated.
        let reasons: [String]
        /// What has to be read from the evidence.
        let facts: [String: Any]
    }

    /// Reads a vector file. `nil` if the JSON is something else; throws if it is broken.
    init?(_ data: Data) throws(VectorError) {
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

/// The inputs of a vector, by name.
struct VectorInput {
    private let members: [String: Any]
    init(_ members: [String: Any]) { self.members = members }

    func text(_ name: String) -> String? { members[name] as? String }
    func texts(_ name: String) -> [String]? { members[name] as? [String] }
    func flag(_ name: String) -> Bool? { members[name] as? Bool }
    func number<T: FixedWidthInteger>(_ name: String, _ type: T.Type = T.self) -> T? {
        (members[name] as? NSNumber).flatMap { T(exactly: $0.int64Value) }
    }
    func numbers(_ name: String) -> [Int64]? { (members[name] as? [NSNumber])?.map(\.int64Value) }
    func object(_ name: String) -> [String: Any]? { members[name] as? [String: Any] }
    func section(_ name: String) -> VectorInput { VectorInput(members[name] as? [String: Any] ?? [:]) }

    /// Standard Base64 with padding; `nil` if the member is missing or is none.
    func bytes(_ name: String) -> [UInt8]? { text(name).flatMap { Base64.standard.decode($0) } }

    /// Bytes that a vector must have.
    func requiredBytes(_ name: String) throws(VectorError) -> [UInt8] {
        guard let bytes = bytes(name) else { throw VectorError("\(name) is missing or not Base64") }
        return bytes
    }
}

/// A vector that cannot be judged: the file is at fault, not the evidence.
struct VectorError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
