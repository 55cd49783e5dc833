/// A statement with its parameters; `$1` is the first. Statements are prepared when a connection first runs them, and found again by
/// their text.
struct SQLStatement {
    let sql: String
    let parameters: [SQLValue]
    let isPrepared: Bool

    init(_ sql: String, _ parameters: SQLValue...) { self.init(sql, parameters) }

    init(_ sql: String, _ parameters: [SQLValue]) { (self.sql, self.parameters, isPrepared) = (sql, parameters, true) }

    private init(unprepared sql: String) { (self.sql, parameters, isPrepared) = (sql, [], false) }

    /// A statement that is not prepared: for definitions and settings.
    static func once(_ sql: String) -> SQLStatement { SQLStatement(unprepared: sql) }
}

/// A parameter. All are sent in PostgreSQL's binary format.
enum SQLValue {
    case int8(Int64?)
    case bytes([UInt8]?)
    case text(String?)
    case bool(Bool)
    case int8s([Int64?])
    case bytesList([[UInt8]?])
    case texts([String?])
    case bools([Bool])
}

/// The parameters of one statement in PostgreSQL's binary format, one behind the other.
struct ParameterBytes {
    private(set) var bytes: [UInt8] = []
    /// The place of each parameter; `nil` for NULL.
    private(set) var ranges: [Range<Int>?] = []

    /// The types of array elements, from `pg_type`.
    private enum ElementType: UInt32 { case bool = 16, bytea = 17, int8 = 20, text = 25 }

    init(_ values: [SQLValue]) throws(PostgresError) {
        ranges.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            let isNull = try add(value)
            ranges.append(isNull ? nil : start..<bytes.count)
        }
    }

    /// True if the value is NULL.
    private mutating func add(_ value: SQLValue) throws(PostgresError) -> Bool {
        switch value {
        case .int8(let number):
            guard let number else { return true }
            add(number)
        case .bytes(let some):
            guard let some else { return true }
            bytes += some
        case .text(let text):
            guard let text else { return true }
            try add(text)
        case .bool(let isTrue): bytes.append(isTrue ? 1 : 0)
        case .int8s(let numbers):
            beginArray(.int8, count: numbers.count, hasNulls: numbers.contains(nil))
            for number in numbers {
                if let number {
                    add(UInt32(8))
                    add(number)
                } else {
                    add(UInt32.max)
                }
            }
        case .bytesList(let list):
            beginArray(.bytea, count: list.count, hasNulls: list.contains(nil))
            for some in list {
                if let some {
                    try add(length: some.count)
                    bytes += some
                } else {
                    add(UInt32.max)
                }
            }
        case .texts(let texts):
            beginArray(.text, count: texts.count, hasNulls: texts.contains(nil))
            for text in texts {
                if let text {
                    try add(length: text.utf8.count)
                    try add(text)
                } else {
                    add(UInt32.max)
                }
            }
        case .bools(let list):
            beginArray(.bool, count: list.count, hasNulls: false)
            for isTrue in list {
                add(UInt32(1))
                bytes.append(isTrue ? 1 : 0)
            }
        }
        return false
    }

    private mutating func add(_ text: String) throws(PostgresError) {
        guard !text.utf8.contains(0) else {
            throw PostgresError(.value, "a text has a NUL character, which PostgreSQL cannot store")
        }
        bytes += text.utf8
    }

    private mutating func add(length: Int) throws(PostgresError) {
        guard let length = UInt32(exactly: length), length < 1 << 30 else {
            throw PostgresError(.value, "a value of \(length) bytes is more than PostgreSQL can store")
        }
        add(length)
    }

    /// Dimensions, flags, element type, and for the one dimension its count and lower bound. An empty array has no dimension.
    private mutating func beginArray(_ type: ElementType, count: Int, hasNulls: Bool) {
        add(UInt32(count == 0 ? 0 : 1))
        add(UInt32(hasNulls ? 1 : 0))
        add(type.rawValue)
        guard count > 0 else { return }
        add(UInt32(truncatingIfNeeded: count))
        add(UInt32(1))
    }

    private mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
