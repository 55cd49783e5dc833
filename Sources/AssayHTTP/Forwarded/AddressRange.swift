/// An address, or the addresses that begin with the same bits (RFC 4632 §3.1).
package struct AddressRange: Hashable, Sendable {
    /// Why a text is no range: a sentence for the operator.
    package struct Defect: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }

    private let base: NumericAddress
    /// Of 128 bits, also for an IPv4 address, so that a range contains addresses of one family only.
    private let length: Int

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. A range of IPv4 addresses that are mapped into IPv6 (`::ffff:10.0.0.0/104`) is one
    /// of IPv4 addresses.
    package init(parsing text: String) throws(Defect) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = NumericAddress(first) else {
            throw Defect(
                "\(Self.quoted(text)) is no address and no range of addresses, such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32")
        }
        base = address
        guard parts.count == 2 else {
            length = 128
            return
        }
        // 32 bits of a text with dots alone, 128 of a text with colons.
        let width = first.contains(UInt8(ascii: ":")) ? 128 : 32
        guard let bits = Self.number(parts[1]), bits <= width else {
            throw Defect("\(Self.quoted(text)) must have a number from 0 to \(width) after the slash")
        }
        length = bits + 128 - width
        let range = address.prefix(length)
        guard range == address else {
            let right = AddressRange(base: range, length: length)
            throw Defect(
                "\(Self.quoted(text)) has bits beyond the first \(bits), which no range has; \(right) is the range around it")
        }
    }

    private init(base: NumericAddress, length: Int) { (self.base, self.length) = (base, length) }

    func contains(_ address: NumericAddress) -> Bool {
        address.isIPv4 == base.isIPv4 && address.prefix(length) == base
    }

    /// At most three digits without a zero before them.
    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...3).contains(digits.count), digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func quoted(_ text: String) -> String { "\"\(text.prefix(64))\"" }
}

extension AddressRange: CustomStringConvertible {
    /// A text that ``init(parsing:)`` reads as the same range.
    package var description: String {
        guard length < 128 else { return base.description }
        return base.isIPv4 ? "\(base)/\(length - 96)" : "\(base)/\(length)"
    }
}
