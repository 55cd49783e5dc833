import AssayTesting

@testable import AssayAPI

/// Messages with random fields, as bytes, made by the schema and without any writer of the sources.
struct RandomMessage {
    private let schema = APISchema.current
    private var numbers: SeededNumbers
    /// Numbers that an enumeration does not have are among its values.
    private let hasUnknownValues: Bool

    init(seed: UInt64, hasUnknownValues: Bool = false) {
        numbers = SeededNumbers(seed: seed)
        self.hasUnknownValues = hasUnknownValues
    }

    mutating func bytes(of message: MessageSchema) -> [UInt8] {
        var chosen: Set<Int> = []
        var fields: [[UInt8]] = []
        for field in message.fields where Int.random(in: 0..<10, using: &numbers) < 6 {
            if let choice = field.choice, !chosen.insert(choice).inserted { continue }
            switch field.count {
            case .single: fields.append(value(field.kind, field.number))
            case .repeated: fields.append(list(field))
            case .map:
                for key in ["", "a", "b\"\u{1}", "é"].shuffled(using: &numbers).prefix(.random(in: 0...4, using: &numbers)) {
                    let value = Bool.random(using: &numbers) ? value(field.kind, 2) : []
                    fields.append(bytes(field.number, bytes(1, Array(key.utf8)) + value))
                }
            }
        }
        if Int.random(in: 0..<4, using: &numbers) == 0 { fields.shuffle(using: &numbers) }
        return Array(fields.joined())
    }

    private mutating func list(_ field: FieldSchema) -> [UInt8] {
        let count = Int.random(in: 0...3, using: &numbers)
        guard field.kind.isPacked, Bool.random(using: &numbers) else {
            return (0..<count).flatMap { _ in value(field.kind, field.number) }
        }
        return bytes(field.number, (0..<count).flatMap { _ in scalar(field.kind) })
    }

    private mutating func value(_ kind: FieldSchema.Kind, _ number: Int) -> [UInt8] {
        switch kind {
        case .text: bytes(number, Array(text.utf8))
        case .bytes:
            bytes(number, (0..<Int.random(in: 0...40, using: &numbers)).map { _ in .random(in: 0...255, using: &numbers) })
        case .message(let position): bytes(number, bytes(of: schema.messages[position]))
        case .double: varint(UInt64(number << 3 | 1)) + scalar(kind)
        case .boolean, .int32, .int64, .uint32, .uint64, .enumeration: varint(UInt64(number << 3)) + scalar(kind)
        }
    }

    /// A value that a list may have packed.
    private mutating func scalar(_ kind: FieldSchema.Kind) -> [UInt8] {
        switch kind {
        case .double:
            let value =
                [0, -0.0, 1, -2.5, 1e300, .infinity, .random(in: -1...1, using: &numbers)].randomElement(using: &numbers) ?? 0
            return withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
        case .enumeration(let position):
            let known = schema.enumerations[position].values.map(\.number)
            let values = known + (hasUnknownValues ? [1_000_000, -1] : [])
            return varint(UInt64(bitPattern: Int64(values.randomElement(using: &numbers) ?? 0)))
        case .boolean: return varint(.random(in: 0...1, using: &numbers))
        case .uint32:
            return varint([0, 1, UInt64(UInt32.max), .random(in: 0...99, using: &numbers)].randomElement(using: &numbers) ?? 0)
        case .int32:
            return varint(UInt64(bitPattern: Int64(Int32.random(in: .min ... .max, using: &numbers))))
        case .int64, .uint64, .text, .bytes, .message:
            let edges = [0, 1, UInt64(Int64.max), 1 << 63, .max]
            return varint((edges + [.random(in: 0 ... .max, using: &numbers)]).randomElement(using: &numbers) ?? 0)
        }
    }

    private var text: String {
        mutating get {
            let parts = [
                "", "a", "photos", "\"", "\\", "/", "\u{0}", "\n\t", "\u{7F}\u{80}", "é", "\u{2028}", "😀", "e\u{301}", "<&>",
            ]
            return (0..<Int.random(in: 0...4, using: &numbers)).map { _ in parts.randomElement(using: &numbers) ?? "" }.joined()
        }
    }

    private func bytes(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        varint(UInt64(number << 3 | 2)) + varint(UInt64(content.count)) + content
    }

    private func varint(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
