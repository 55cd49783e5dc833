import AssayCore
import AssayEncoding

/// The fields of a receipt by their numbers, not yet interpreted.
struct ReceiptFields {
    private var values: [Int: ArraySlice<UInt8>] = [:]

    init(_ payload: ArraySlice<UInt8>) throws(Rejection) {
        values = try DERReader.parse(payload, code: .malformedReceipt) { outer throws(Rejection) in
            try outer.scope(.set) { list throws(Rejection) in
                var values: [Int: ArraySlice<UInt8>] = [:]
                while !list.isAtEnd {
                    guard values.count < Receipt.fieldLimit else {
                        throw list.rejection("more than \(Receipt.fieldLimit) fields")
                    }
                    let (type, value) = try list.sequence { field throws(Rejection) in
                        let type = try field.smallInteger()
                        // The version, 1 in every receipt seen; other values are undocumented.
                        _ = try field.smallInteger()
                        return (type, try field.octetString())
                    }
                    guard values.updateValue(value, forKey: type) == nil else {
                        throw list.rejection("field \(type) stands twice")
                    }
                }
                return values
            }
        }
    }

    subscript(type: Int) -> ArraySlice<UInt8>? { values[type] }

    func required(_ type: Int) throws(Rejection) -> ArraySlice<UInt8> {
        guard let value = values[type] else { throw Rejection(.malformedReceipt, "field \(type) is missing") }
        return value
    }

    func text(_ type: Int) throws(Rejection) -> String {
        let value = try required(type)
        guard value.count <= Receipt.textLimit, let text = String(validating: value, as: UTF8.self) else {
            throw Rejection(.malformedReceipt, "field \(type) is no text, or a long one")
        }
        return text
    }

    /// RFC 3339 in UTC.
    func time(_ type: Int) throws(Rejection) -> Timestamp {
        guard let time = Timestamp(rfc3339: try text(type)) else {
            throw Rejection(.malformedReceipt, "field \(type) is no time in UTC")
        }
        return time
    }

    /// Decimal digits, at most nine.
    func number(_ type: Int) throws(Rejection) -> Int64 {
        let digits = try required(type)
        guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Rejection(.malformedReceipt, "field \(type) is no number")
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
