/// What a piece of evidence is, told to a person who supports others: its fields with their meaning, its parts in the order
/// in which they lie in the file, and where it breaks.
///
/// An explanation says what stands in the bytes. It judges nothing: whether any of it is true is for the checks to say.
public struct Explanation: Sendable {
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: Claims.Value
        /// What the value says, or what it must be; empty where the name says it.
        public let meaning: String
        public init(_ name: String, _ value: Claims.Value, _ meaning: String = "") {
            (self.name, self.value, self.meaning) = (name, value, meaning)
        }
    }

    public let title: String
    /// The bytes that it is made of: of the file, or of what was decoded from a part of it, such as a PEM block.
    package let bytes: ArraySlice<UInt8>
    public var range: Range<Int> { bytes.startIndex..<bytes.endIndex }
    public private(set) var fields: [Field] = []
    public private(set) var parts: [Explanation] = []
    /// Why it could not be read, or not further. What was read before is there.
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

    /// Reads on; what the reader throws is where the explanation ends.
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
