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
    fileprivate enum Kind: UInt8 { case text = 1, integer, boolean, bytes, texts, time }

    public func encoded() -> [UInt8] {
        var out: [UInt8] = []
        // By index, here and below: an iterator would copy each claim.
        out.reserveCapacity(all.indices.reduce(0) { $0 + all[$1].encodedSize })
        for index in all.indices { all[index].append(to: &out) }
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

extension Claims.Claim {
    /// Not below the number of bytes that `append` writes.
    fileprivate var encodedSize: Int {
        let size =
            switch value {
            case .text(let text): text.utf8.count
            case .integer, .time: 8
            case .boolean: 1
            case .bytes(let bytes): bytes.count
            case .texts(let texts): Self.size(of: texts)
            }
        return 1 + name.utf8.count + 1 + 4 + size
    }

    private static func size(of texts: [String]) -> Int { texts.indices.reduce(0) { $0 + 4 + texts[$1].utf8.count } }

    fileprivate func append(to out: inout [UInt8]) {
        var name = name
        while name.utf8.count > 255 { name.removeLast() }
        out.append(UInt8(name.utf8.count))
        out.append(contentsOf: name.utf8)
        switch value {
        case .text(let text):
            out.append(Claims.Kind.text.rawValue)
            out.append(field: text)
        case .integer(let number): Self.append(number, .integer, to: &out)
        case .boolean(let isTrue):
            out.append(Claims.Kind.boolean.rawValue)
            out.append(length: 1)
            out.append(isTrue ? 1 : 0)
        case .bytes(let bytes):
            out.append(Claims.Kind.bytes.rawValue)
            out.append(field: bytes)
        case .texts(let texts):
            out.append(Claims.Kind.texts.rawValue)
            out.append(length: Self.size(of: texts))
            for text in texts { out.append(field: text) }
        case .time(let time): Self.append(time.unixMilliseconds, .time, to: &out)
        }
    }

    private static func append(_ number: Int64, _ kind: Claims.Kind, to out: inout [UInt8]) {
        out.append(kind.rawValue)
        out.append(length: 8)
        withUnsafeBytes(of: number.bigEndian) { out.append(contentsOf: $0) }
    }
}
