import AssayProtobuf
import AssayTesting
import Testing

/// Both rules that modules have for bits above 64.
private enum Dropping: ProtobufRules {
    static var malformed: Malformed { Malformed() }
    static var dropsHighBits: Bool { true }
}

private enum Refusing: ProtobufRules {
    static var malformed: Malformed { Malformed() }
    static var dropsHighBits: Bool { false }
}

private struct Malformed: Error, Hashable {}

/// A field with its value copied.
private enum Copy: Hashable {
    case varint(Int, UInt64)
    case bytes(Int, [UInt8])
    case fixed(Int, [UInt8])
}

@Suite("Protobuf reader")
struct ProtobufReaderTests {
    private func fields<Rules: ProtobufRules>(
        _ bytes: [UInt8], _ rules: Rules.Type = Dropping.self, in range: Range<Int>? = nil
    ) throws -> [Copy] {
        try bytes.withUnsafeBytes { memory in
            var reader = range.map { ProtobufReader<Rules>(memory, $0) } ?? ProtobufReader<Rules>(memory)
            var fields: [Copy] = []
            while let field = try reader.next() {
                switch field {
                case .varint(let number, let value): fields.append(.varint(number, value))
                case .bytes(let number, let range): fields.append(.bytes(number, Array(memory[range])))
                case .fixed(let number, let range): fields.append(.fixed(number, Array(memory[range])))
                }
            }
            return fields
        }
    }

    @Test("The reader reads the examples of the specification: an integer, a text, a nested message and packed numbers")
    func examples() throws {
        #expect(try fields([0x08, 0x96, 0x01]) == [.varint(1, 150)])
        #expect(try fields([0x12, 0x07] + Array("testing".utf8)) == [.bytes(2, Array("testing".utf8))])
        #expect(try fields([0x1A, 0x03, 0x08, 0x96, 0x01]) == [.bytes(3, [0x08, 0x96, 0x01])])
        #expect(
            try fields([0x32, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05]) == [.bytes(6, [0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05])])
        #expect(try fields([]) == [])
    }

    @Test("The reader reads values of fixed width as their bytes")
    func fixedWidth() throws {
        let bytes: [UInt8] = [0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x18, 0]
        #expect(try fields(bytes) == [.fixed(1, [1, 2, 3, 4, 5, 6, 7, 8]), .fixed(2, [1, 2, 3, 4]), .varint(3, 0)])
        #expect(throws: Malformed()) { try fields([0x09, 1, 2, 3, 4, 5, 6, 7]) }
        #expect(throws: Malformed()) { try fields([0x15, 1, 2, 3]) }
    }

    @Test("The reader reads packed numbers to their end, and refuses a number that is cut off")
    func packed() throws {
        func numbers(_ bytes: [UInt8]) throws -> [UInt64] {
            try bytes.withUnsafeBytes { memory in
                var reader = ProtobufReader<Dropping>(memory)
                var numbers: [UInt64] = []
                while let number = try reader.nextPacked() { numbers.append(number) }
                return numbers
            }
        }
        #expect(try numbers([0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05]) == [3, 270, 86942])
        #expect(try numbers([]) == [])
        #expect(throws: Malformed()) { try numbers([0x03, 0x8E]) }
    }

    @Test("The reader refuses groups, unknown wire types, and field numbers outside 1 to 2^29 - 1")
    func keys() throws {
        for type in [3, 4, 6, 7] as [UInt8] {
            #expect(throws: Malformed()) { try fields([0x08 | type, 0, 0, 0, 0, 0, 0, 0, 0]) }
        }
        for type in [0, 1, 2, 5] as [UInt8] {
            #expect(throws: Malformed()) { try fields([type, 0, 0, 0, 0, 0, 0, 0, 0]) }
        }
        #expect(try fields([0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 1]) == [.varint((1 << 29) - 1, 1)])
        #expect(throws: Malformed()) { try fields([0x80, 0x80, 0x80, 0x80, 0x10, 1]) }
        #expect(throws: Malformed()) { try fields([0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 1]) }
    }

    @Test("A varint has at most 10 bytes; bits above 64 are dropped or refused, as the rules say")
    func varints() throws {
        let nine = [UInt8](repeating: 0xFF, count: 9)
        for last in [0, 1] as [UInt8] {
            let value: UInt64 = last == 1 ? .max : .max >> 1
            #expect(try fields([0x08] + nine + [last]) == [.varint(1, value)])
            #expect(try fields([0x08] + nine + [last], Refusing.self) == [.varint(1, value)])
        }
        for last in [2, 0x7F] as [UInt8] {
            #expect(try fields([0x08] + nine + [last]) == [.varint(1, last == 2 ? .max >> 1 : .max)])
            #expect(throws: Malformed()) { try fields([0x08] + nine + [last], Refusing.self) }
        }
        for bytes in [nine + [0x80, 0], nine + [0xFF, 1], [UInt8](repeating: 0x80, count: 11) + [0]] {
            #expect(throws: Malformed()) { try fields([0x08] + bytes) }
            #expect(throws: Malformed()) { try fields([0x08] + bytes, Refusing.self) }
        }
        // More bytes than the number needs.
        #expect(try fields([0x88, 0x00, 0x80, 0x80, 0x00]) == [.varint(1, 0)])
    }

    @Test("The reader refuses lengths beyond the end, up to 2^64 - 1")
    func lengths() throws {
        #expect(try fields([0x0A, 0x02, 1, 2]) == [.bytes(1, [1, 2])])
        let longest = [UInt8](repeating: 0xFF, count: 9) + [0x01]
        for length in [[0x03], [0xFF, 0xFF, 0xFF, 0xFF, 0x07], [UInt8](repeating: 0xFF, count: 8) + [0x7F], longest]
            as [[UInt8]]
        {
            #expect(throws: Malformed()) { try fields([0x0A] + length + [1, 2]) }
        }
    }

    @Test("A reader of a range reads no byte outside of it, and a range beyond the memory is clamped")
    func ranges() throws {
        let bytes: [UInt8] = [0x08, 1, 0x0A, 2, 7, 7, 0x10, 2]
        #expect(try fields(bytes, in: 2..<6) == [.bytes(1, [7, 7])])
        #expect(throws: Malformed()) { try fields(bytes, in: 2..<5) }
        #expect(try fields(bytes, in: 6..<100) == [.varint(2, 2)])
        #expect(try fields(bytes, in: 50..<100) == [])
    }

    @Test("Every strict prefix of a field is refused")
    func prefixes() throws {
        let messages: [[UInt8]] = [
            [0x88, 0x01, 0x96, 0x01], [0x92, 0x01, 0x03, 1, 2, 3], [0x99, 0x01] + [UInt8](repeating: 1, count: 8),
            [0x9D, 0x01, 1, 2, 3, 4],
        ]
        for message in messages {
            #expect(try fields(message).count == 1)
            for count in 1..<message.count { #expect(throws: Malformed()) { try fields(Array(message.prefix(count))) } }
        }
    }

    @Test("Random bytes never trap, and what is read lies within them")
    func garbage() {
        var random = SeededNumbers(seed: 29)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random) : UInt8.random(in: 0...20, using: &random)
            }
            bytes.withUnsafeBytes { memory in
                var reader = ProtobufReader<Refusing>(memory)
                while let field = try? reader.next() {
                    guard case .bytes(_, let range) = field else { continue }
                    #expect(range.lowerBound >= 0 && range.upperBound <= bytes.count)
                }
            }
        }
    }

    @Test("Text is read only if it is UTF-8")
    func text() {
        let bytes: [UInt8] = Array("aé".utf8) + [0xC3, 0x28]
        bytes.withUnsafeBytes { memory in
            #expect(memory.text(0..<3) == "aé")
            #expect(memory.text(3..<5) == nil && memory.text(0..<2) == nil)
            #expect(memory.text(0..<0) == "")
        }
    }
}
