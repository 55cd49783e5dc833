import AssayCore

extension ByteCursor {
    /// The identifier octets of an element (X.690 §8.1.2), the same in BER and DER: numbers from 31 on follow in groups of
    /// seven bits, at most 28 bits of them here.
    mutating func tag() throws(Rejection) -> DERTag {
        let first = try byte()
        guard first & 0x1F == 0x1F else { return DERTag(form: first & 0xE0, number: UInt32(first & 0x1F)) }
        var number: UInt32 = 0
        for position in 0..<4 {
            let byte = try byte()
            guard position > 0 || byte != 0x80 else { throw rejection("a tag number with leading zeros") }
            number = number << 7 | UInt32(byte & 0x7F)
            if byte & 0x80 == 0 {
                guard number >= 31 else { throw rejection("a tag number in the long form that fits the short one") }
                return DERTag(form: first & 0xE0, number: number)
            }
        }
        throw rejection("a tag number of more than 28 bits")
    }
}
