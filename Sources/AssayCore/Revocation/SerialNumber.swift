/// Serial numbers of certificates as lists name them: unsigned big-endian integers, in hexadecimal where people write them.
package enum SerialNumber {
    /// Longest that is read from a list, in hexadecimal digits. Certificates have 40 (RFC 5280 §4.1.2.2).
    private static let digitLimit = 64

    /// Without leading zeros, so that equal numbers are equal bytes; 0 is empty.
    package static func magnitude(_ serial: [UInt8]) -> [UInt8] {
        serial.first == 0 ? Array(serial.drop { $0 == 0 }) : serial
    }

    /// The magnitude of a number in hexadecimal digits, of odd length as often as not, and in either case; `nil` for anything
    /// else. Digits of the decimal system alone are hexadecimal all the same.
    package static func magnitude(hexadecimal digits: String) -> [UInt8]? {
        let count = digits.utf8.count
        guard (1...digitLimit).contains(count) else { return nil }
        return Hex.decode(count % 2 == 0 ? digits : "0" + digits).map(magnitude)
    }

    /// As Google's list of revoked certificates writes them: lower case, no leading zero.
    package static func hexadecimal(_ serial: [UInt8]) -> String {
        let digits = Hex.encode(serial).drop { $0 == "0" }
        return digits.isEmpty ? "0" : String(digits)
    }
}
