/// Writes claims as a CBOR map, byte by byte, with core deterministic encoding (RFC 8949 §4.2.1). The caller writes the members in the order of
/// their encoded keys: numbers ascending, then names, the shorter first and those of one length by their bytes.
struct CBORClaims {
    private var bytes: [UInt8] = []
    /// Members of the map that is being written.
    private var members: UInt8 = 0

    /// Enough for an EAR, so that it is written without allocating again.
    private static let usualSize = 768
    /// A map's head of one byte has at most so many members.
    private static let memberLimit: UInt8 = 23

    /// The map whose members `body` writes.
    static func map(_ body: (inout CBORClaims) -> Void) -> [UInt8] {
        var claims = CBORClaims()
        claims.bytes.reserveCapacity(usualSize)
        claims.nested(body)
        return claims.bytes
    }

    mutating func add(_ label: Int64, _ value: String) {
        key(label)
        append(text: value)
    }

    mutating func add(_ label: Int64, _ number: Int64) {
        key(label)
        append(number)
    }

    mutating func add(_ label: Int64, bytes value: [UInt8]) {
        key(label)
        append(bytes: value)
    }

    mutating func add(_ label: Int64, _ values: [String]) {
        key(label)
        append(list: values)
    }

    mutating func map(_ label: Int64, _ body: (inout CBORClaims) -> Void) {
        key(label)
        nested(body)
    }

    mutating func add(_ name: StaticString, _ value: String) {
        key(name)
        append(text: value)
    }

    mutating func add(_ name: StaticString, _ number: Int64) {
        key(name)
        append(number)
    }

    mutating func add(_ name: StaticString, _ flag: Bool) {
        key(name)
        bytes.append(flag ? 0xF5 : 0xF4)
    }

    mutating func add(_ name: StaticString, bytes value: [UInt8]) {
        key(name)
        append(bytes: value)
    }

    mutating func add(_ name: StaticString, _ values: [String]) {
        key(name)
        append(list: values)
    }

    mutating func map(_ name: StaticString, _ body: (inout CBORClaims) -> Void) {
        key(name)
        nested(body)
    }

    private mutating func key(_ label: Int64) {
        members += 1
        append(label)
    }

    private mutating func key(_ name: StaticString) {
        members += 1
        head(3, UInt64(name.utf8CodeUnitCount))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// The head is written once the members are counted: it has one byte.
    private mutating func nested(_ body: (inout CBORClaims) -> Void) {
        let (outer, place) = (members, bytes.count)
        bytes.append(0)
        members = 0
        body(&self)
        precondition(members <= Self.memberLimit)
        bytes[place] = 5 << 5 | members
        members = outer
    }

    private mutating func append(_ number: Int64) {
        if number < 0 { head(1, UInt64(bitPattern: ~number)) } else { head(0, UInt64(number)) }
    }

    private mutating func append(text: String) {
        head(3, UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(bytes value: [UInt8]) {
        head(2, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func append(list values: [String]) {
        head(4, UInt64(values.count))
        for value in values { append(text: value) }
    }

    private mutating func head(_ major: UInt8, _ argument: UInt64) {
        let type = major << 5
        switch argument {
        case 0..<24: bytes.append(type | UInt8(argument))
        case ...0xFF: append(type | 24, argument, 1)
        case ...0xFFFF: append(type | 25, argument, 2)
        case ...0xFFFF_FFFF: append(type | 26, argument, 4)
        default: append(type | 27, argument, 8)
        }
    }

    private mutating func append(_ initial: UInt8, _ argument: UInt64, _ count: UInt64) {
        bytes.append(initial)
        for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: argument >> (8 * index))) }
    }
}
