import AssayRPC

/// How long an answer is of use, as the headers of a call state it.
enum CallTimeout {
    /// `grpc-timeout`: 1 to 8 digits and a unit. gRPC's own clients send 0 for a deadline that has passed, and so it is read.
    static func grpc(_ text: String) throws(RPCError) -> Duration {
        guard let unit = text.utf8.last else { throw .badTimeout }
        let count = try number(text.utf8.dropLast(), digits: 8)
        switch unit {
        case UInt8(ascii: "H"): return .seconds(count * 3600)
        case UInt8(ascii: "M"): return .seconds(count * 60)
        case UInt8(ascii: "S"): return .seconds(count)
        case UInt8(ascii: "m"): return .milliseconds(count)
        case UInt8(ascii: "u"): return .microseconds(count)
        case UInt8(ascii: "n"): return .nanoseconds(count)
        default: throw .badTimeout
        }
    }

    /// `connect-timeout-ms`: 1 to 10 digits.
    static func connect(_ text: String) throws(RPCError) -> Duration {
        .milliseconds(try number(text.utf8[...], digits: 10))
    }

    /// - Parameter digits: the most digits, of which an `Int64` holds any number.
    private static func number(_ text: Substring.UTF8View, digits: Int) throws(RPCError) -> Int64 {
        guard (1...digits).contains(text.count) else { throw .badTimeout }
        var number: Int64 = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw .badTimeout }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
