/// The statements of authenticated evidence, by name, in reading order.
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
        // By index: an iterator would copy each claim.
        for index in all.indices where all[index].name == name { return all[index].value }
        return nil
    }

    /// Reserves memory for `count` claims, so that adding them one by one does not reallocate.
    public mutating func reserveCapacity(_ count: Int) { all.reserveCapacity(count) }

    /// Adds a claim, or nothing if the value is `nil`.
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
