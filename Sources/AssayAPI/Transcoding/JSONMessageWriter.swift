import AssayCore
import AssayProtobuf

/// Writes a message's bytes as JSON, by the schema. The form is that of ``MethodJSON``.
///
/// The bytes are an answer of the daemon, in which no field stands twice that may stand once: where protobuf would take the last or merge
/// them, this refuses. Fields that the schema does not have are left out.
struct JSONMessageWriter {
    private let schema: APISchema
    private let memory: UnsafeRawBufferPointer
    private var text: [UInt8] = []

    static func write(
        _ message: [UInt8], as schema: MessageSchema, of api: APISchema
    ) throws(JSONMessageError) -> [UInt8] {
        try message.withUnsafeBufferPointer { (buffer) throws(JSONMessageError) in
            var writer = JSONMessageWriter(api, UnsafeRawBufferPointer(buffer))
            // JSON takes about three times the bytes: names, and digits.
            writer.text.reserveCapacity(message.count * 3 + 16)
            try writer.object(schema, 0..<message.count, depth: 0)
            return writer.text
        }
    }

    private init(_ schema: APISchema, _ memory: UnsafeRawBufferPointer) { (self.schema, self.memory) = (schema, memory) }

    private typealias Field = ProtobufReader<AnswerRules>.Field

    // MARK: Messages

    private mutating func object(_ message: MessageSchema, _ range: Range<Int>, depth: Int) throws(JSONMessageError) {
        guard depth < JSONMessageReader.depthLimit else { throw JSONMessageError("is nested too deep") }
        let entries = try AnswerEntry.entries(of: message, in: memory, range)
        text.append(UInt8(ascii: "{"))
        let start = text.count
        var rest = entries[...]
        while let position = rest.first?.position {
            let same = rest.prefix { $0.position == position }
            rest = rest.dropFirst(same.count)
            let field = message.fields[position]
            do throws(JSONMessageError) {
                try member(field, same, isFirst: text.count == start, depth: depth)
            } catch {
                throw error.inside(field)
            }
        }
        text.append(UInt8(ascii: "}"))
    }

    /// - Parameter entries: all of the field, in order; at least one.
    private mutating func member(
        _ field: FieldSchema, _ entries: ArraySlice<AnswerEntry>, isFirst: Bool, depth: Int
    ) throws(JSONMessageError) {
        let start = text.count
        if !isFirst { text.append(UInt8(ascii: ",")) }
        text += field.jsonMember
        let isPresent: Bool
        switch field.count {
        case .single:
            // The last is the only one.
            guard let value = entries.last?.field else { return }
            let isLeftOut = field.choice == nil ? try isDefault(value, field.kind) : false
            isPresent = !isLeftOut
            if isPresent { try write(value, field.kind, depth: depth) }
        case .repeated: isPresent = try list(field, entries, depth: depth)
        case .map:
            try map(field, entries, depth: depth)
            isPresent = true
        }
        if !isPresent { text.removeLast(text.count - start) }
    }

    /// Returns whether there was an element.
    private mutating func list(
        _ field: FieldSchema, _ entries: ArraySlice<AnswerEntry>, depth: Int
    ) throws(JSONMessageError) -> Bool {
        text.append(UInt8(ascii: "["))
        var count = 0
        for entry in entries {
            if field.kind.isPacked, case .bytes(_, let range) = entry.field {
                count = try packed(field.kind, range, after: count)
                continue
            }
            if count > 0 { text.append(UInt8(ascii: ",")) }
            do throws(JSONMessageError) {
                try write(entry.field, field.kind, depth: depth)
            } catch {
                throw error.inside(element: count)
            }
            count += 1
        }
        text.append(UInt8(ascii: "]"))
        return count > 0
    }

    /// Numbers without keys. Returns how many the list has with them.
    private mutating func packed(
        _ kind: FieldSchema.Kind, _ range: Range<Int>, after count: Int
    ) throws(JSONMessageError) -> Int {
        var count = count
        if kind == .double {
            guard range.count % 8 == 0 else { throw AnswerRules.malformed }
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                if count > 0 { text.append(UInt8(ascii: ",")) }
                write(try double(start..<start + 8))
                count += 1
            }
            return count
        }
        var reader = ProtobufReader<AnswerRules>(memory, range)
        while let bits = try reader.nextPacked() {
            if count > 0 { text.append(UInt8(ascii: ",")) }
            write(kind.value(bits), kind)
            count += 1
        }
        return count
    }

    private mutating func map(
        _ field: FieldSchema, _ entries: ArraySlice<AnswerEntry>, depth: Int
    ) throws(JSONMessageError) {
        var members: [(key: [UInt8], value: Field?)] = []
        for entry in entries {
            guard case .bytes(_, let range) = entry.field else { throw JSONMessageError("is not of its type") }
            var reader = ProtobufReader<AnswerRules>(memory, range)
            var member: (key: [UInt8], value: Field?) = ([], nil)
            while let part = try reader.next() {
                if case .bytes(1, let key) = part { member.key = Array(memory[key]) }
                if part.number == 2 { member.value = part }
            }
            members.append(member)
        }
        members.sort { $0.key.lexicographicallyPrecedes($1.key) }
        text.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            guard index == 0 || members[index - 1].key != member.key else { throw JSONMessageError("has a name twice") }
            if index > 0 { text.append(UInt8(ascii: ",")) }
            try member.key.withUnsafeBufferPointer { (key) throws(JSONMessageError) in
                try write(text: UnsafeRawBufferPointer(key))
            }
            text.append(UInt8(ascii: ":"))
            if let value = member.value { try write(value, field.kind, depth: depth) } else { writeDefault(field.kind) }
        }
        text.append(UInt8(ascii: "}"))
    }

    // MARK: Values

    private func isDefault(_ field: Field, _ kind: FieldSchema.Kind) throws(JSONMessageError) -> Bool {
        switch (field, kind) {
        case (.bytes(_, let range), .text), (.bytes(_, let range), .bytes): range.isEmpty
        case (.varint(_, let bits), _) where kind.isPacked && kind != .double: kind.value(bits) == 0
        case (.fixed(_, let range), .double): try double(range).bitPattern == 0
        default: false
        }
    }

    private mutating func write(_ field: Field, _ kind: FieldSchema.Kind, depth: Int) throws(JSONMessageError) {
        switch (field, kind) {
        case (.bytes(_, let range), .text): try write(text: UnsafeRawBufferPointer(rebasing: memory[range]))
        case (.bytes(_, let range), .bytes):
            text.append(UInt8(ascii: "\""))
            Base64.standard.append(UnsafeRawBufferPointer(rebasing: memory[range]), to: &text)
            text.append(UInt8(ascii: "\""))
        case (.bytes(_, let range), .message(let position)): try object(schema.messages[position], range, depth: depth + 1)
        case (.fixed(_, let range), .double): write(try double(range))
        case (.varint(_, let bits), _) where kind.isPacked && kind != .double: write(kind.value(bits), kind)
        default: throw JSONMessageError("is not of its type")
        }
    }

    /// - Parameter value: of a kind that travels as a varint.
    private mutating func write(_ value: Int64, _ kind: FieldSchema.Kind) {
        switch kind {
        case .boolean: text += (value != 0 ? "true" : "false").utf8
        case .int64: writeQuoted(String(value).utf8)
        case .uint64: writeQuoted(String(UInt64(bitPattern: value)).utf8)
        case .enumeration(let position):
            if let name = schema.enumerations[position].value(Int32(truncatingIfNeeded: value)) {
                writeQuoted(name.spelling)
            } else {
                text += String(value).utf8
            }
        case .int32, .uint32, .double, .text, .bytes, .message: text += String(value).utf8
        }
    }

    /// Text that needs no escapes.
    private mutating func writeQuoted(_ plain: some Collection<UInt8>) {
        text.append(UInt8(ascii: "\""))
        text += plain
        text.append(UInt8(ascii: "\""))
    }

    private mutating func write(_ value: Double) {
        if value.isFinite {
            text += value.description.utf8
        } else {
            text += (value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"").utf8
        }
    }

    private mutating func write(text bytes: UnsafeRawBufferPointer) throws(JSONMessageError) {
        guard bytes.allSatisfy({ $0 < 0x80 }) || bytes.text(0..<bytes.count) != nil else {
            throw JSONMessageError("is not UTF-8")
        }
        JSONText.append(string: bytes, to: &text)
    }

    /// The value of a map's entry that has none.
    private mutating func writeDefault(_ kind: FieldSchema.Kind) {
        switch kind {
        case .text, .bytes: text += "\"\"".utf8
        case .message: text += "{}".utf8
        case .double: write(Double(0))
        case .boolean, .int32, .int64, .uint32, .uint64, .enumeration: write(Int64(0), kind)
        }
    }

    private func double(_ range: Range<Int>) throws(JSONMessageError) -> Double {
        guard range.count == 8 else { throw JSONMessageError("is not of its type") }
        return Double(bitPattern: UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self)))
    }
}

/// A field of an answer, and where its message has it in the schema.
private struct AnswerEntry {
    let position: Int
    let field: ProtobufReader<AnswerRules>.Field

    /// Those of one message that the schema has, in its order.
    static func entries(
        of message: MessageSchema, in memory: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(JSONMessageError) -> [AnswerEntry] {
        var reader = ProtobufReader<AnswerRules>(memory, range)
        var entries: [AnswerEntry] = []
        entries.reserveCapacity(message.fields.count)
        var next = 0
        var (fields, choices) = (UInt64(0), UInt64(0))
        var isSorted = true
        while let field = try reader.next() {
            guard let position = message.position(numbered: field.number, next: next) else { continue }
            let schema = message.fields[position]
            if schema.count == .single {
                let choice: UInt64 = schema.choice.map { 1 << $0 } ?? 0
                guard fields & (1 << position) == 0, choices & choice == 0 else {
                    throw JSONMessageError("is there twice, or beside another choice").inside(schema)
                }
                fields |= 1 << position
                choices |= choice
            }
            if let last = entries.last, last.position > position { isSorted = false }
            entries.append(AnswerEntry(position: position, field: field))
            next = schema.count == .single ? position + 1 : position
        }
        guard !isSorted else { return entries }
        return entries.enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }.map(
            \.element)
    }
}

private enum AnswerRules: ProtobufRules {
    static var malformed: JSONMessageError { JSONMessageError("is not a message") }
    static var dropsHighBits: Bool { true }
}

extension FieldSchema.Kind {
    /// What protobuf's generated code makes of a varint.
    fileprivate func value(_ bits: UInt64) -> Int64 {
        switch self {
        case .boolean: bits == 0 ? 0 : 1
        case .int32, .enumeration: Int64(Int32(truncatingIfNeeded: bits))
        case .uint32: Int64(UInt32(truncatingIfNeeded: bits))
        case .int64, .uint64, .double, .text, .bytes, .message: Int64(bitPattern: bits)
        }
    }
}
