package import AssayCore

/// Strict CBOR (RFC 8949): definite lengths, shortest heads (§4.2.1), no tags, distinct keys (§5.6), valid UTF-8 (§3.1),
/// and nothing after the end. Every other encoding is refused with the code of the structure that is read.
package struct CBORReader: Sendable {
    /// Nesting depth of arrays and maps. An attestation object has 3 levels; RFC 8949 §10 recommends a limit and names none.
    package static let depthLimit = 4
    /// Elements of one array, pairs of one map. The largest map seen has 5 pairs; distinct keys are checked pair by pair.
    package static let memberLimit = 32

    private var cursor: ByteCursor
    private let depthLeft: Int

    init(_ bytes: ArraySlice<UInt8>, code: ReasonCode, depthLeft: Int = CBORReader.depthLimit) {
        cursor = ByteCursor(bytes, code: code)
        self.depthLeft = depthLeft
    }

    /// Reads exactly one data item.
    ///
    /// - Parameter depth: the deepest nesting of arrays and maps.
    package static func parse(
        _ bytes: ArraySlice<UInt8>, code: ReasonCode, depth: Int = Self.depthLimit
    ) throws(Rejection) -> CBORItem {
        var reader = CBORReader(bytes, code: code, depthLeft: depth)
        let item = try reader.item()
        try reader.cursor.finish("the data item")
        return item
    }

    /// Reads the data item at the start of the bytes, and returns the rest.
    package static func parsePrefix(
        _ bytes: ArraySlice<UInt8>, code: ReasonCode
    ) throws(Rejection) -> (item: CBORItem, rest: ArraySlice<UInt8>) {
        var reader = CBORReader(bytes, code: code)
        let item = try reader.item()
        return (item, reader.cursor.rest)
    }

    var isAtEnd: Bool { cursor.isAtEnd }

    /// Reads one data item with its content.
    mutating func item() throws(Rejection) -> CBORItem { try item(depthLeft: depthLeft) }

    private mutating func item(depthLeft: Int) throws(Rejection) -> CBORItem {
        let start = cursor.index
        let (kind, argument, bodyStart) = try walk(depthLeft: depthLeft)
        return CBORItem(
            kind: kind, argument: argument, content: cursor.bytes(since: bodyStart), encoded: cursor.bytes(since: start),
            depthLeft: depthLeft, code: cursor.code)
    }

    /// Reads one data item to its end, with everything in it.
    ///
    /// - Returns: `bodyStart`, the index of the first byte after the head.
    private mutating func walk(
        depthLeft: Int
    ) throws(Rejection) -> (kind: CBORItem.Kind, argument: UInt64, bodyStart: Int) {
        let (kind, argument, isFloat) = try head()
        let bodyStart = cursor.index
        switch kind {
        case .unsigned, .negative: break
        case .byteString: _ = try string(argument)
        case .textString:
            let text = try string(argument)
            guard text.allSatisfy({ $0 < 0x80 }) || String(validating: text, as: UTF8.self) != nil else {
                throw cursor.rejection("a text string is not UTF-8")
            }
        case .array: try skipArray(argument, depthLeft: depthLeft)
        case .map: try skipMap(argument, depthLeft: depthLeft)
        case .tag: throw cursor.rejection("a tag, which strict objects do not have")
        case .simple:
            // false, true, null, undefined (20 to 23) and the floats; the rest is unassigned (RFC 8949 §3.3).
            guard isFloat || (20...23).contains(argument) else { throw cursor.rejection("an unassigned simple value") }
        }
        return (kind, argument, bodyStart)
    }

    /// Major type and argument. An argument that would fit a shorter form is refused, floats excepted.
    private mutating func head() throws(Rejection) -> (CBORItem.Kind, UInt64, isFloat: Bool) {
        let initial = try cursor.byte()
        let major = initial >> 5
        guard let kind = CBORItem.Kind(rawValue: major) else {  // not text from outside
            throw cursor.rejection("no such major type")
        }
        let short = initial & 0x1F
        switch short {
        case 0..<24: return (kind, UInt64(short), false)
        case 24...27:
            let argument = try cursor.bigEndian(1 << Int(short - 24))
            if kind == .simple {
                guard short > 24 else { throw cursor.rejection("an unassigned simple value") }
                return (kind, argument, true)
            }
            guard argument >= Self.leastArgument(of: short) else {
                throw cursor.rejection("a head is longer than it needs to be")
            }
            return (kind, argument, false)
        case 31: throw cursor.rejection("an indefinite length")
        default: throw cursor.rejection("a reserved head")
        }
    }

    /// The smallest argument that needs the form: one, two, four or eight bytes.
    private static func leastArgument(of short: UInt8) -> UInt64 {
        switch short {
        case 24: 24
        case 25: 0x100
        case 26: 0x1_0000
        default: 0x1_0000_0000
        }
    }

    private mutating func string(_ length: UInt64) throws(Rejection) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: length) else { throw cursor.rejection("a string longer than memory") }
        return try cursor.take(count)
    }

    private mutating func skipArray(_ count: UInt64, depthLeft: Int) throws(Rejection) {
        try checkMembers(count, depthLeft: depthLeft)
        for _ in 0..<count { _ = try walk(depthLeft: depthLeft - 1) }
    }

    private mutating func skipMap(_ count: UInt64, depthLeft: Int) throws(Rejection) {
        try checkMembers(count, depthLeft: depthLeft)
        var keys: [ArraySlice<UInt8>] = []
        keys.reserveCapacity(Int(count))
        for _ in 0..<count {
            // Heads are the shortest, so equal keys have equal bytes.
            let start = cursor.index
            _ = try walk(depthLeft: depthLeft - 1)
            let key = cursor.bytes(since: start)
            guard !keys.contains(key) else { throw cursor.rejection("a map has the same key twice") }
            keys.append(key)
            _ = try walk(depthLeft: depthLeft - 1)
        }
    }

    private func checkMembers(_ count: UInt64, depthLeft: Int) throws(Rejection) {
        guard depthLeft > 0 else { throw cursor.rejection("too many levels of nesting") }
        guard count <= UInt64(Self.memberLimit) else { throw cursor.rejection("\(count) members, limit \(Self.memberLimit)") }
    }
}

/// One data item of strict CBOR, read to its end. Maps and arrays have been walked, so they are well-formed at every level.
package struct CBORItem: Sendable {
    package enum Kind: UInt8, Sendable {
        case unsigned, negative, byteString, textString, array, map, tag, simple
    }

    package let kind: Kind
    /// The head's argument: the value of an integer (for `negative`, n stands for -1 - n), the length of a string, the
    /// number of elements or of pairs.
    package let argument: UInt64
    /// The bytes after the head.
    package let content: ArraySlice<UInt8>
    /// Head and content.
    package let encoded: ArraySlice<UInt8>
    /// Levels of nesting allowed below this item.
    let depthLeft: Int
    let code: ReasonCode

    /// The bytes of a byte string.
    package func bytes(_ name: StaticString) throws(Rejection) -> ArraySlice<UInt8> {
        guard kind == .byteString else { throw mismatch(name, "a byte string") }
        return content
    }

    /// The UTF-8 of a text string; its validity was checked when the item was read.
    package func textBytes(_ name: StaticString) throws(Rejection) -> ArraySlice<UInt8> {
        guard kind == .textString else { throw mismatch(name, "a text string") }
        return content
    }

    package func text(_ name: StaticString) throws(Rejection) -> String {
        String(decoding: try textBytes(name), as: UTF8.self)
    }

    /// An integer of either sign, if it fits.
    package var integer: Int64? {
        switch kind {
        case .unsigned: Int64(exactly: argument)
        case .negative: Int64(exactly: argument).map { -1 - $0 }
        default: nil
        }
    }

    /// Calls `body` with the elements of an array, in order.
    package func elements(
        _ name: StaticString, _ body: (CBORItem) throws(Rejection) -> Void
    ) throws(Rejection) {
        guard kind == .array else { throw mismatch(name, "an array") }
        var reader = CBORReader(content, code: code, depthLeft: depthLeft - 1)
        while !reader.isAtEnd { try body(try reader.item()) }
    }

    /// Calls `body` with the pairs of a map, in order. The keys are distinct.
    package func pairs(
        _ name: StaticString, _ body: (_ key: CBORItem, _ value: CBORItem) throws(Rejection) -> Void
    ) throws(Rejection) {
        guard kind == .map else { throw mismatch(name, "a map") }
        var reader = CBORReader(content, code: code, depthLeft: depthLeft - 1)
        while !reader.isAtEnd {
            let key = try reader.item()
            try body(key, try reader.item())
        }
    }

    private func mismatch(_ name: StaticString, _ wanted: StaticString) -> Rejection {
        Rejection(code, "\(name) is not \(wanted)", offset: encoded.startIndex)
    }
}
