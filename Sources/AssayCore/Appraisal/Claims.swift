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
        // By index: an iterator would copy each claim. Most names have another length, which is compared faster.
        let length = name.utf8.count
        for index in all.indices where all[index].name.utf8.count == length && all[index].name == name {
            return all[index].value
        }
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

/// The encoding of claims in a ledger: for each claim u8-length name, kind byte, u32-length value, big-endian. Internal; never
/// on the wire.
extension Claims {
    private enum Kind: UInt8 { case text = 1, integer, boolean, bytes, texts, time }

    public func encoded() -> [UInt8] {
        var out: [UInt8] = []
        for claim in all {
            var name = claim.name
            while name.utf8.count > 255 { name.removeLast() }
            out.append(UInt8(name.utf8.count))
            out += name.utf8
            switch claim.value {
            case .text(let value): out.append(Kind.text, Array(value.utf8))
            case .integer(let value): out.append(Kind.integer, value.bigEndianBytes)
            case .boolean(let value): out.append(Kind.boolean, [value ? 1 : 0])
            case .bytes(let value): out.append(Kind.bytes, value)
            case .texts(let values):
                var list: [UInt8] = []
                for value in values { list.append(field: Array(value.utf8)) }
                out.append(Kind.texts, list)
            case .time(let value): out.append(Kind.time, value.unixMilliseconds.bigEndianBytes)
            }
        }
        return out
    }

    /// `nil` if `encoded()` did not make the bytes: the store is damaged.
    public init?(decoding bytes: [UInt8]) {
        var rest = bytes[...]
        var claims: [Claim] = []
        while let length = rest.popFirst() {
            guard length <= rest.count, let name = String(validating: rest.prefix(Int(length)), as: UTF8.self) else {
                return nil
            }
            rest = rest.dropFirst(Int(length))
            guard let kind = rest.popFirst().flatMap(Kind.init(rawValue:)), let value = rest.takeField(),
                let decoded = Self.decode(kind, value)
            else { return nil }
            claims.append(Claim(name: name, value: decoded))
        }
        self.init(claims)
    }

    private static func decode(_ kind: Kind, _ value: [UInt8]) -> Value? {
        switch kind {
        case .text: return String(validating: value, as: UTF8.self).map { .text($0) }
        case .integer: return Int64(bigEndianBytes: value).map { .integer($0) }
        case .boolean: return value == [0] || value == [1] ? .boolean(value == [1]) : nil
        case .bytes: return .bytes(value)
        case .texts:
            var rest = value[...]
            var texts: [String] = []
            while !rest.isEmpty {
                guard let text = rest.takeTextField() else { return nil }
                texts.append(text)
            }
            return .texts(texts)
        case .time: return Int64(bigEndianBytes: value).map { .time(Timestamp(unixMilliseconds: $0)) }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ kind: some RawRepresentable<UInt8>, _ value: [UInt8]) {
        append(kind.rawValue)
        append(field: value)
    }
}
