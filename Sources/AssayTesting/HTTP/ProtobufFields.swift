/// The fields of a serialised protobuf message, for messages without generated code. Fixed-size numbers are read as their bytes.
public struct ProtobufFields: Sendable {
    private var fields: [(number: UInt64, value: UInt64, bytes: [UInt8])] = []

    /// `nil`: the bytes are no message.
    public init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let tag = rest.popVarint(), tag >> 3 > 0 else { return nil }
            let length: UInt64
            switch tag & 7 {
            case 0:
                guard let value = rest.popVarint() else { return nil }
                fields.append((tag >> 3, value, []))
                continue
            case 1: length = 8
            case 2:
                guard let stated = rest.popVarint() else { return nil }
                length = stated
            case 5: length = 4
            default: return nil
            }
            guard length <= UInt64(rest.count) else { return nil }
            fields.append((tag >> 3, 0, Array(rest.prefix(Int(length)))))
            rest = rest.dropFirst(Int(length))
        }
    }

    /// The last value of a number; 0 if there is none.
    public func number(_ field: UInt64) -> UInt64 { fields.last { $0.number == field }?.value ?? 0 }

    /// The last value of bytes; `nil` if there is none.
    public func bytes(_ field: UInt64) -> [UInt8]? { fields.last { $0.number == field }?.bytes }

    /// All values of bytes.
    public func all(_ field: UInt64) -> [[UInt8]] { fields.filter { $0.number == field }.map(\.bytes) }

    /// The last value of a text; empty if there is none.
    public func text(_ field: UInt64) -> String { String(decoding: bytes(field) ?? [], as: UTF8.self) }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func popVarint() -> UInt64? {
        var (value, shift) = (UInt64(0), UInt64(0))
        while shift < 64, let byte = popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
