public import AssayEncoding

/// The writer of DER, under the simulator's name too.
public typealias DERWriter = AssayEncoding.DERWriter

/// Encodings that DER forbids: tests need certificates that a correct library refuses to write.
extension DERWriter {
    /// The encoding of an element's length.
    public enum Length: Hashable, Sendable {
        /// As DER requires.
        case shortest
        /// In the long form with this many length octets, more than needed or not.
        case octets(Int)
        /// Indefinite, closed by two zero octets: BER, never DER.
        case indefinite
        /// A wrong length: this number, whatever the content's length is.
        case stated(Int)
    }

    public static func element(_ identifier: [UInt8], _ content: [UInt8], length: Length) -> [UInt8] {
        switch length {
        case .shortest: return element(identifier, content)
        case .octets(let count):
            let octets = (0..<count).reversed().map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) }
            return identifier + [0x80 | UInt8(count & 0x7F)] + octets + content
        case .indefinite: return identifier + [0x80] + content + [0, 0]
        case .stated(let count): return identifier + lengthOctets(count) + content
        }
    }

    public static func sequence(_ elements: [[UInt8]], length: Length) -> [UInt8] {
        element([0x30], elements.concatenated, length: length)
    }

    public static func context(_ number: Int, _ elements: [[UInt8]], length: Length) -> [UInt8] {
        element(identifier(0xA0, number), elements.concatenated, length: length)
    }

    /// A BOOLEAN with this content octet. DER allows only 0x00 and 0xFF.
    public static func boolean(octet: UInt8) -> [UInt8] { element([0x01], [octet]) }

    /// An INTEGER with exactly these content octets, minimal or not, negative or not.
    public static func integer(content: [UInt8]) -> [UInt8] { element([0x02], content) }

    /// A BIT STRING that states this number of unused bits, right or wrong.
    public static func bitString(_ bytes: [UInt8], unusedBits: UInt8) -> [UInt8] { element([0x03], [unusedBits] + bytes) }
}
