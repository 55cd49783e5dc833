import AssayProtobuf
import AssayTesting
import SwiftProtobuf
import Testing

/// The writers, read back with the generated code of well-known messages.
@Suite("Protobuf writer")
struct ProtobufWriterTests {
    @Test(
        "A message is what the generated code reads: numbers, text, bytes, flags and nested messages of every length of length")
    func message() throws {
        var random = SeededNumbers(seed: 30)
        for length in [0, 1, 126, 127, 128, 129, 1000, 16_383, 16_384, 70_000] {
            let text = String(repeating: "a", count: length)
            let (seconds, nanos) = (
                Int64.random(in: .min ... .max, using: &random), Int32.random(in: 0...999_999_999, using: &random)
            )
            var writer = ProtobufWriter(capacity: 16)
            writer.write(1, text)
            writer.write(2, Array(text.utf8))
            let any = try Google_Protobuf_Any(serializedBytes: writer.finish())
            #expect(any.typeURL == text && any.value.elementsEqual(text.utf8))

            // A list of a text and of a list of a boolean: messages in messages.
            var list = ProtobufWriter(capacity: 1)
            list.writeMessage(1) { $0.writeAlways(3, text) }
            list.writeMessage(1) { $0.writeMessage(6) { $0.writeMessage(1) { $0.writeAlways(4, Int64(1)) } } }
            let values = try Google_Protobuf_ListValue(serializedBytes: list.finish()).values
            #expect(values.map(\.stringValue) == [text, ""])
            #expect(values.last?.listValue.values.first?.boolValue == true)

            var time = ProtobufWriter(capacity: 0)
            time.write(1, seconds)
            time.write(2, Int64(nanos))
            let read = try Google_Protobuf_Timestamp(serializedBytes: time.finish())
            #expect(read.seconds == seconds && read.nanos == nanos)
        }
    }

    @Test("Default values are left out, and written where a oneof needs them")
    func defaults() {
        var writer = ProtobufWriter(capacity: 4)
        writer.write(1, "")
        writer.write(2, [UInt8]())
        writer.write(3, Int64(0))
        writer.write(4, false)
        #expect(writer.finish() == [])
        writer = ProtobufWriter(capacity: 4)
        writer.writeAlways(1, "")
        writer.writeAlways(2, [UInt8]())
        writer.writeAlways(3, Int64(0))
        writer.write(4, true)
        writer.writeMessage(5) { _ in }
        #expect(writer.finish() == [0x0A, 0, 0x12, 0, 0x18, 0, 0x20, 1, 0x2A, 0])
    }

    @Test(
        "Doubles, and lists of numbers, are what the generated code reads; a message may be begun and finished instead of nested in a closure"
    )
    func numbers() throws {
        for value in [0, -0.0, 1.5, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude] as [Double] {
            var writer = ProtobufWriter(capacity: 0)
            writer.write(1, value)
            let read = try Google_Protobuf_DoubleValue(serializedBytes: writer.finish()).value
            #expect(read.bitPattern == value.bitPattern)
            writer = ProtobufWriter(capacity: 0)
            writer.writeAlways(1, value)
            #expect(writer.finish().count == 9)
        }
        for count in [0, 1, 12, 13, 100, 5000] {
            // A path is a packed list of field 1 in a location, which is field 1 of the source's information.
            let path = (0..<count).map { Int32($0) - 3 }
            var writer = ProtobufWriter(capacity: 0)
            let location = writer.begin(1)
            let list = writer.begin(1)
            for number in path { writer.writePacked(Int64(number)) }
            writer.finish(list)
            writer.writeAlways(3, Array("..a comment".utf8)[2...])
            writer.finish(location)
            let info = try Google_Protobuf_SourceCodeInfo(serializedBytes: writer.finish())
            #expect(info.location.map(\.path) == [path] && info.location.map(\.leadingComments) == ["a comment"])
        }
        var writer = ProtobufWriter(capacity: 0)
        let list = writer.begin(1)
        for number in [1, 2.5] as [Double] { writer.writePacked(number) }
        writer.finish(list)
        #expect(writer.finish().count == 18)
    }

    @Test("A message that is written in its array is the same at every capacity, and stands behind the fields before it")
    func messages() throws {
        for length in [0, 1, 127, 128, 1000, 20_000] {
            let text = String(repeating: "a", count: length)
            var writer = ProtobufWriter(capacity: 0)
            writer.write(1, text)
            writer.writeMessage(2) { $0.write(1, text) }
            let expected = writer.finish()
            for capacity in [0, 1, 16, length, length + 30, 3 * length + 100] {
                let before = Array("before".utf8)
                for fields in [[], before] {
                    let message = ProtobufWriter.message(after: fields, capacity: capacity) { writer in
                        writer.write(1, text)
                        writer.writeMessage(2) { $0.write(1, text) }
                    }
                    #expect(message == fields + expected, "capacity \(capacity)")
                }
                #expect(before == Array("before".utf8))
            }
        }
        #expect(ProtobufWriter.message(capacity: 0) { _ in } == [])
    }

    @Test("A field takes as many bytes as it was measured for, and varints of every length are read back")
    func sizes() throws {
        for shift in 0..<64 {
            for value in [UInt64(1) << shift, (UInt64(1) << shift) - 1, .max >> shift] {
                let size = 1 + Varint.length(value)
                var memory = [UInt8](repeating: 0, count: size)
                let written = memory.withUnsafeMutableBytes { memory in
                    var writer = ProtobufFieldWriter(memory)
                    writer.write(1, value)
                    return writer.count
                }
                #expect(written == size && size <= 1 + Varint.longest)
                #expect(try Google_Protobuf_UInt64Value(serializedBytes: memory).value == value)
            }
        }
        for length in [0, 1, 127, 128, 16_383, 16_384] {
            let bytes = [UInt8](repeating: 7, count: length)
            var memory = [UInt8](repeating: 0, count: ProtobufFieldWriter.size(length))
            let written = memory.withUnsafeMutableBytes { memory in
                var writer = ProtobufFieldWriter(memory)
                bytes.withUnsafeBytes { writer.write(1, $0) }
                return writer.count
            }
            #expect(written == memory.count)
            #expect(try Google_Protobuf_BytesValue(serializedBytes: memory).value.elementsEqual(bytes))
        }
    }
}
