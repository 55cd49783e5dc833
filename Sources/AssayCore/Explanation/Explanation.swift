/// An explanation of a piece of evidence for a person who supports others: its fields with their meaning, its parts in the
/// order of the file, and the place where reading fails.
///
/// It describes the content of the bytes and judges nothing; the checks decide whether the content is true.
public struct Explanation: Sendable {
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: Claims.Value
        /// The meaning of the value, or its required value; empty if the name says it.
        public let meaning: String
        public init(_ name: String, _ value: Claims.Value, _ meaning: String = "") {
            (self.name, self.value, self.meaning) = (name, value, meaning)
        }
    }

    public let title: String
    /// The bytes that it explains: of the file, or of the decoded content of a part, such as a PEM block.
    package let bytes: ArraySlice<UInt8>
    public var range: Range<Int> { bytes.startIndex..<bytes.endIndex }
    public private(set) var fields: [Field] = []
    public private(set) var parts: [Explanation] = []
    /// Why the part, or the rest of it, could not be read. Fields read before are present.
    public private(set) var problem: Rejection?

    public init(_ title: String, of bytes: ArraySlice<UInt8>) {
        self.title = title
        self.bytes = bytes
    }

    public mutating func add(_ name: String, _ value: Claims.Value?, _ meaning: String = "") {
        if let value { fields.append(Field(name, value, meaning)) }
    }

    public mutating func add(_ name: String, _ bytes: some Collection<UInt8>, _ meaning: String = "") {
        add(name, .bytes(Array(bytes)), meaning)
    }

    public mutating func add(_ part: Explanation) { parts.append(part) }

    /// Continues reading; an error of the reader ends the explanation.
    public mutating func read(_ body: (inout Explanation) throws(Rejection) -> Void) {
        do {
            try body(&self)
        } catch {
            problem = error
        }
    }

    /// The first problem in the order of the file.
    public var firstProblem: Rejection? { problem ?? parts.lazy.compactMap(\.firstProblem).first }
}
