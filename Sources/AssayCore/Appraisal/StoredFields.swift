/// Writes the fields of a stored value: each behind its length, a big-endian u32; numbers have 8 bytes. Internal; never on the
/// wire.
struct StoredFieldsWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ field: [UInt8]) { bytes.append(field: field) }
    mutating func add(_ text: String) { add(Array(text.utf8)) }
    mutating func add(_ number: Int64) { add(withUnsafeBytes(of: number.bigEndian) { Array($0) }) }
    mutating func add(_ time: Timestamp) { add(time.unixMilliseconds) }
    mutating func add(_ list: [[UInt8]]) { nest { nested in for field in list { nested.add(field) } } }

    /// An empty field stands for `nil`.
    mutating func add(optional number: Int64?) { if let number { add(number) } else { add([UInt8]()) } }

    /// One field that has fields of its own.
    mutating func nest(_ write: (inout StoredFieldsWriter) -> Void) {
        var nested = StoredFieldsWriter()
        write(&nested)
        add(nested.bytes)
    }
}

/// Reads fields in the order in which they were written. It cannot trap: a field that is cut or of the wrong kind is `nil`.
struct StoredFieldsReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes() -> [UInt8]? { rest.takeField() }
    mutating func text() -> String? { rest.takeTextField() }
    mutating func nested() -> StoredFieldsReader? { rest.takeField().map { StoredFieldsReader($0) } }

    mutating func number() -> Int64? { bytes().flatMap(Self.number) }
    mutating func time() -> Timestamp? { number().map { Timestamp(unixMilliseconds: $0) } }

    /// `.some(nil)` for an empty field.
    mutating func optionalNumber() -> Int64?? {
        guard let field = bytes() else { return nil }
        guard !field.isEmpty else { return .some(nil) }
        return Self.number(field).map { .some($0) }
    }

    /// Every field up to the end.
    mutating func list() -> [[UInt8]]? {
        guard var nested = nested() else { return nil }
        var list: [[UInt8]] = []
        while !nested.isAtEnd {
            guard let field = nested.bytes() else { return nil }
            list.append(field)
        }
        return list
    }

    private static func number(_ field: [UInt8]) -> Int64? {
        field.count == 8 ? Int64(bitPattern: field.reduce(0) { $0 << 8 | UInt64($1) }) : nil
    }
}
