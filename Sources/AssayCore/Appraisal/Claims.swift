/// What authenticated evidence says, by name, in the order in which it was read.
public struct Claims: Hashable, Sendable {
    public struct Claim: Hashable, Sendable {
        public let name: String
        public let value: Value
        public init(name: String, value: Value) { (self.name, self.value) = (name, value) }
    }

    public enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        case boolean(Bool)
        case bytes([UInt8])
        case texts([String])
        case time(Timestamp)
    }

    public private(set) var all: [Claim]

    public init(_ all: [Claim] = []) { self.all = all }

    public subscript(name: String) -> Value? {
        // By index: an iterator would hand out a copy of each claim on the way.
        for index in all.indices where all[index].name == name { return all[index].value }
        return nil
    }

    /// Makes room for that many claims, so that adding them one by one moves nothing.
    public mutating func reserveCapacity(_ count: Int) { all.reserveCapacity(count) }

    /// Adds a claim; absent values add nothing.
    public mutating func add(_ name: String, _ value: Value?) {
        if let value { all.append(Claim(name: name, value: value)) }
    }

    public mutating func add(contentsOf other: Claims) { all.append(contentsOf: other.all) }

    public func text(_ name: String) -> String? {
        if case .text(let value)? = self[name] { value } else { nil }
    }

    public func integer(_ name: String) -> Int64? {
        if case .integer(let value)? = self[name] { value } else { nil }
    }
}
