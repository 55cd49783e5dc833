import AssayCore
import AssayProtobuf

/// Reads the JSON of a message directly into the message's bytes: the schema says which tokens may follow, so that no value is built that the
/// message does not hold. The rules are those of ``MethodJSON``.
struct JSONMessageReader: ~Copyable {
    /// The deepest nesting of messages. Those of the API have at most six levels.
    static let depthLimit = 32

    private let schema: APISchema
    private var scanner: JSONScanner
    private var writer: ProtobufWriter
    /// Elements of lists and maps so far.
    private var elements = 0
    private let start: Int

    static func read(
        _ text: ArraySlice<UInt8>, as message: MessageSchema, of schema: APISchema
    ) throws(JSONMessageError) -> [UInt8] {
        var reader = JSONMessageReader(
            schema: schema, scanner: JSONScanner(text), writer: ProtobufWriter(capacity: text.count), start: text.startIndex)
        try reader.object(message, depth: 0)
        do throws(JSONProblem) {
            try reader.scanner.end()
        } catch {
            throw reader.error(error)
        }
        return reader.writer.finish()
    }

    private init(schema: APISchema, scanner: JSONScanner, writer: consuming ProtobufWriter, start: Int) {
        (self.schema, self.scanner, self.start) = (schema, scanner, start)
        self.writer = writer
    }

    // MARK: Messages

    /// The fields that an object has had.
    private struct Members {
        /// A bit for each field of the schema, which has at most 64.
        private var fields: UInt64 = 0
        private var choices: UInt64 = 0

        mutating func add(_ position: Int, _ field: FieldSchema, of message: MessageSchema) throws(JSONMessageError) {
            guard fields & (1 << position) == 0 else { throw JSONMessageError("is given twice").inside(field) }
            fields |= 1 << position
            guard let choice = field.choice else { return }
            guard choices & (1 << choice) == 0 else {
                throw JSONMessageError("is given beside another choice of \(message.choices[choice])").inside(field)
            }
            choices |= 1 << choice
        }
    }

    private mutating func object(_ message: MessageSchema, depth: Int) throws(JSONMessageError) {
        guard depth < Self.depthLimit else { throw JSONMessageError("is nested deeper than \(Self.depthLimit) levels") }
        guard scanner.take("{") else { throw JSONMessageError("must be an object") }
        if scanner.take("}") { return }
        var members = Members()
        var next = 0
        repeat {
            let offset = self.offset
            let name = try string()
            guard let position = message.position(named: name, next: next) else {
                let hint = message.fieldMeant(by: name).map { "; did you mean \"\($0.jsonName)\"?" } ?? ""
                throw JSONMessageError("has a member that is not known, after \(offset) bytes of the text\(hint)")
            }
            next = position + 1
            let field = message.fields[position]
            try members.add(position, field, of: message)
            guard scanner.take(":") else { throw error(scanner.problem("want a colon")) }
            do throws(JSONMessageError) {
                try member(field, depth: depth)
            } catch {
                throw error.inside(field)
            }
        } while scanner.take(",")
        guard scanner.take("}") else { throw error(scanner.problem("an object does not end")) }
    }

    private mutating func member(_ field: FieldSchema, depth: Int) throws(JSONMessageError) {
        guard scanner.first() != UInt8(ascii: "n") else { return try word("null") }
        switch field.count {
        case .single: try value(field.kind, field.number, always: field.choice != nil, depth: depth)
        case .repeated: try list(field, depth: depth)
        case .map: try map(field, depth: depth)
        }
    }

    // MARK: Lists and maps

    private mutating func list(_ field: FieldSchema, depth: Int) throws(JSONMessageError) {
        guard scanner.take("[") else { throw JSONMessageError("must be a list") }
        if scanner.take("]") { return }
        let start = field.kind.isPacked ? writer.begin(field.number) : nil
        var index = 0
        repeat {
            try count()
            do throws(JSONMessageError) {
                if start == nil {
                    try value(field.kind, field.number, always: true, depth: depth)
                } else {
                    try packed(field.kind)
                }
            } catch {
                throw error.inside(element: index)
            }
            index += 1
        } while scanner.take(",")
        guard scanner.take("]") else { throw error(scanner.problem("a list does not end")) }
        if let start { writer.finish(start) }
    }

    /// An entry is a message with the key in field 1 and the value in field 2.
    private mutating func map(_ field: FieldSchema, depth: Int) throws(JSONMessageError) {
        guard scanner.take("{") else { throw JSONMessageError("must be an object") }
        if scanner.take("}") { return }
        var names: Set<[UInt8]> = []
        repeat {
            try count()
            let name = try string()
            guard names.insert(Array(name)).inserted else { throw JSONMessageError("has a name twice") }
            guard scanner.take(":") else { throw error(scanner.problem("want a colon")) }
            let start = writer.begin(field.number)
            writer.writeAlways(1, name)
            do throws(JSONMessageError) {
                try value(field.kind, 2, always: true, depth: depth)
            } catch {
                throw error.inside(element: names.count - 1)
            }
            writer.finish(start)
        } while scanner.take(",")
        guard scanner.take("}") else { throw error(scanner.problem("an object does not end")) }
    }

    /// Counts an element of a list or a map.
    private mutating func count() throws(JSONMessageError) {
        elements += 1
        guard elements <= MethodJSON.elementLimit else {
            throw JSONMessageError("has more elements than the \(MethodJSON.elementLimit) that all lists of a message may have")
        }
    }

    // MARK: Values

    /// - Parameter always: a default value is written, too.
    private mutating func value(
        _ kind: FieldSchema.Kind, _ number: Int, always: Bool, depth: Int
    ) throws(JSONMessageError) {
        switch kind {
        case .text: write(number, try text("a text"), always: always)
        case .bytes:
            guard let bytes = Base64.decode(eitherAlphabet: try text("Base64")) else {
                throw JSONMessageError("must be Base64")
            }
            write(number, bytes[...], always: always)
        case .message(let position):
            let start = writer.begin(number)
            try object(schema.messages[position], depth: depth + 1)
            writer.finish(start)
        case .double:
            let value = try double()
            if always { writer.writeAlways(number, value) } else { writer.write(number, value) }
        case .boolean, .int32, .int64, .uint32, .uint64, .enumeration:
            let value = try integer(kind)
            if always { writer.writeAlways(number, value) } else { writer.write(number, value) }
        }
    }

    private mutating func write(_ number: Int, _ bytes: ArraySlice<UInt8>, always: Bool) {
        if always || !bytes.isEmpty { writer.writeAlways(number, bytes) }
    }

    /// A number of a list, which has no key of its own.
    private mutating func packed(_ kind: FieldSchema.Kind) throws(JSONMessageError) {
        if kind == .double { writer.writePacked(try double()) } else { writer.writePacked(try integer(kind)) }
    }

    private mutating func text(_ wanted: String) throws(JSONMessageError) -> ArraySlice<UInt8> {
        guard scanner.first() == UInt8(ascii: "\"") else { throw JSONMessageError("must be \(wanted)") }
        return try string()
    }

    /// A value that travels as a varint, as its 64 bits.
    private mutating func integer(_ kind: FieldSchema.Kind) throws(JSONMessageError) -> Int64 {
        switch kind {
        case .boolean:
            switch scanner.first() {
            case UInt8(ascii: "t"):
                try word("true")
                return 1
            case UInt8(ascii: "f"):
                try word("false")
                return 0
            default: throw JSONMessageError("must be true or false")
            }
        case .int32:
            return Int64(try integer(Int32.self, "an integer of 32 bits"))
        case .uint32:
            return Int64(try integer(UInt32.self, "an unsigned integer of 32 bits"))
        case .uint64:
            return Int64(bitPattern: try integer(UInt64.self, "an unsigned integer of 64 bits"))
        case .enumeration(let position): return Int64(try choice(of: schema.enumerations[position]))
        case .int64, .double, .text, .bytes, .message:
            return try integer(Int64.self, "an integer of 64 bits")
        }
    }

    /// A number, or a text of its digits: JSON's numbers are doubles for many programs, so that integers of 64 bits are written as texts.
    private mutating func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type, _ wanted: String
    ) throws(JSONMessageError) -> Integer {
        let digits: ArraySlice<UInt8>
        switch scanner.first() {
        case UInt8(ascii: "\""): digits = try string()
        case let byte? where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
            digits = try number()
        default: throw JSONMessageError("must be \(wanted)")
        }
        guard let value = Integer(spelling: digits) else { throw JSONMessageError("must be \(wanted)") }
        return value
    }

    /// A name that the enumeration has, or any number: one that it does not have is the method's to judge, as it is in protobuf's own form.
    private mutating func choice(of enumeration: EnumerationSchema) throws(JSONMessageError) -> Int32 {
        guard scanner.first() == UInt8(ascii: "\"") else {
            return try integer(Int32.self, "one of the values of \(enumeration.name)")
        }
        guard let value = enumeration.value(named: try string()) else {
            let names = enumeration.namesForPeople.map { ": \($0.joined(separator: ", "))" } ?? ""
            throw JSONMessageError("must be one of the values of \(enumeration.name)\(names)")
        }
        return value.number
    }

    /// What JSON has no number for is a text.
    private mutating func double() throws(JSONMessageError) -> Double {
        if scanner.first() == UInt8(ascii: "\"") {
            let name = try string()
            for (text, value) in [("NaN", Double.nan), ("Infinity", .infinity), ("-Infinity", -.infinity)]
            where name.elementsEqual(text.utf8) { return value }
        } else if let value = Double(String(decoding: try number(), as: UTF8.self)), value.isFinite {
            return value
        }
        throw JSONMessageError("must be a number")
    }

    // MARK: Tokens

    /// Bytes of the text before the next token.
    private var offset: Int {
        mutating get {
            _ = scanner.first()
            return scanner.index - start
        }
    }

    private mutating func string() throws(JSONMessageError) -> ArraySlice<UInt8> {
        do throws(JSONProblem) { return try scanner.string() } catch { throw self.error(error) }
    }

    private mutating func number() throws(JSONMessageError) -> ArraySlice<UInt8> {
        do throws(JSONProblem) { return try scanner.number() } catch { throw self.error(error) }
    }

    private mutating func word(_ word: StaticString) throws(JSONMessageError) {
        do throws(JSONProblem) { try scanner.word(word) } catch { throw self.error(error) }
    }

    private func error(_ problem: JSONProblem) -> JSONMessageError {
        JSONMessageError("is not strict JSON: \(problem.description), after \(problem.index - start) bytes of the text")
    }
}

extension FieldSchema.Kind {
    /// Whether a list of such values travels without a key for each, as proto3 has it.
    var isPacked: Bool {
        switch self {
        case .boolean, .int32, .int64, .uint32, .uint64, .double, .enumeration: true
        case .text, .bytes, .message: false
        }
    }
}

extension FixedWidthInteger {
    /// An integer in its only spelling: no sign but `-`, no zeros before it, no fraction, no exponent, no `-0`. `nil` out of range.
    fileprivate init?(spelling digits: ArraySlice<UInt8>) {
        let isNegative = digits.first == UInt8(ascii: "-")
        let magnitude = isNegative ? digits.dropFirst() : digits
        // 20 digits have the integers of 64 bits.
        guard let first = magnitude.first, magnitude.count <= 20 else { return nil }
        guard first != UInt8(ascii: "0") || (magnitude.count == 1 && !isNegative) else { return nil }
        var value: Self = 0
        for digit in magnitude {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
            guard !overflows else { return nil }
            let unit = Self(digit - UInt8(ascii: "0"))
            let (sum, exceeds) = isNegative ? shifted.subtractingReportingOverflow(unit) : shifted.addingReportingOverflow(unit)
            guard !exceeds else { return nil }
            value = sum
        }
        self = value
    }
}
