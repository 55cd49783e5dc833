/// Serial numbers of certificates in lists: unsigned big-endian integers, in hexadecimal for people.
package enum SerialNumber {
    /// The longest number in a list, in hexadecimal digits. Certificates have 40 (RFC 5280 §4.1.2.2).
    private static let digitLimit = 64

    /// Without leading zeros, so that equal numbers are equal bytes; 0 is empty.
    package static func magnitude(_ serial: [UInt8]) -> [UInt8] {
        serial.first == 0 ? Array(serial.drop { $0 == 0 }) : serial
    }

    /// The magnitude of a number in hexadecimal digits of either case and any number; `nil` for anything else. Decimal digits
    /// alone are hexadecimal too.
    package static func magnitude(hexadecimal digits: String) -> [UInt8]? {
        let count = digits.utf8.count
        guard (1...digitLimit).contains(count) else { return nil }
        return Hex.decode(count % 2 == 0 ? digits : "0" + digits).map(magnitude)
    }

    /// The form in Google's revocation list: lower case, no leading zero.
    package static func hexadecimal(_ serial: [UInt8]) -> String {
        let digits = Hex.encode(serial).drop { $0 == "0" }
        return digits.isEmpty ? "0" : String(digits)
    }
}
