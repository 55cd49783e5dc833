/// Writes the fields of a stored value: each behind its length, a big-endian u32; numbers have 8 bytes. Internal; never on the
/// wire.
struct StoredFieldsWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ field: [UInt8]) { bytes.append(field: field) }
    mutating func add(_ text: String) { add(Array(text.utf8)) }
    mutating func add(_ number: Int64) { add(number.bigEndianBytes) }
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

    mutating func number() -> Int64? { bytes().flatMap(Int64.init(bigEndianBytes:)) }
    mutating func time() -> Timestamp? { number().map { Timestamp(unixMilliseconds: $0) } }

    /// `.some(nil)` for an empty field.
    mutating func optionalNumber() -> Int64?? {
        guard let field = bytes() else { return nil }
        guard !field.isEmpty else { return .some(nil) }
        return Int64(bigEndianBytes: field).map { .some($0) }
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
}

// MARK: The framing of a field

extension [UInt8] {
    /// Appends a field: its length as a big-endian u32, then its bytes.
    mutating func append(field: [UInt8]) {
        append(length: field.count)
        self += field
    }

    /// The same of a text, as UTF-8.
    mutating func append(field text: String) {
        append(length: text.utf8.count)
        self += text.utf8
    }

    /// Appends the length alone, for a field whose bytes are appended piece by piece.
    mutating func append(length: Int) {
        Swift.withUnsafeBytes(of: UInt32(truncatingIfNeeded: length).bigEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// Removes a field from the front and returns its bytes; `nil` if its length, a big-endian u32, is cut or exceeds the rest.
    mutating func takeField() -> [UInt8]? {
        let head = prefix(4)
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard head.count == 4, length <= count - 4 else { return nil }
        self = dropFirst(4)
        defer { self = dropFirst(length) }
        return Array(prefix(length))
    }

    /// Removes a field from the front and returns its text; `nil` also if it is not UTF-8.
    mutating func takeTextField() -> String? { takeField().flatMap { String(validating: $0, as: UTF8.self) } }
}

extension Int64 {
    /// 8 bytes.
    var bigEndianBytes: [UInt8] { Swift.withUnsafeBytes(of: bigEndian) { Array($0) } }

    /// `nil` unless there are 8 bytes.
    init?(bigEndianBytes bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
