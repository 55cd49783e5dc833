/// Identifies a trace: 16 bytes that are not all zero (W3C Trace Context, "trace-id").
package struct TraceID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    /// `nil` for zero, which no trace has.
    package init?(high: UInt64, low: UInt64) {
        guard high != 0 || low != 0 else { return nil }
        (self.high, self.low) = (high, low)
    }

    private init(nonZero high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

    package static func random() -> TraceID { TraceID(nonZero: .random(in: 1...UInt64.max), .random(in: 0...UInt64.max)) }

    /// 16 bytes.
    package var bytes: [UInt8] { high.bytes + low.bytes }
}

extension TraceID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String { high.hexadecimal + low.hexadecimal }
}

/// Identifies a span of a trace: 8 bytes that are not all zero (W3C Trace Context, "parent-id").
package struct SpanID: Hashable, Sendable {
    package let value: UInt64

    /// `nil` for zero, which no span has.
    package init?(_ value: UInt64) {
        guard value != 0 else { return nil }
        self.value = value
    }

    private init(nonZero value: UInt64) { self.value = value }

    package static func random() -> SpanID { SpanID(nonZero: .random(in: 1...UInt64.max)) }

    /// 8 bytes.
    package var bytes: [UInt8] { value.bytes }
}

extension SpanID: CustomStringConvertible {
    /// 16 hexadecimal digits.
    package var description: String { value.hexadecimal }
}

extension UInt64 {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
