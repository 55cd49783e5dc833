package import AssayCore

extension DERReader {
    /// The content of an INTEGER, two's complement, in its shortest form (X.690 §8.3).
    package mutating func integer() throws(Rejection) -> ArraySlice<UInt8> {
        let content = try element(.integer).content
        try checkInteger(content)
        return content
    }

    /// A non-negative INTEGER of at most 63 bits.
    package mutating func smallInteger() throws(Rejection) -> Int {
        let content = try integer()
        guard let first = content.first, first & 0x80 == 0, content.count <= 8 else {
            throw rejection("an INTEGER that is negative or too large here")
        }
        return content.reduce(0) { $0 << 8 | Int($1) }
    }

    private func checkInteger(_ content: ArraySlice<UInt8>) throws(Rejection) {
        guard let first = content.first else { throw rejection("an INTEGER without content") }
        guard let second = content.dropFirst().first else { return }
        guard !(first == 0x00 && second & 0x80 == 0), !(first == 0xFF && second & 0x80 != 0) else {
            throw rejection("an INTEGER that is not in its shortest form")
        }
    }

    /// BOOLEAN: FF or 00 (X.690 §11.1).
    package mutating func boolean() throws(Rejection) -> Bool {
        let content = try element(.boolean).content
        guard content.count == 1, let value = content.first, value == 0xFF || value == 0x00 else {
            throw rejection("a BOOLEAN that is neither FF nor 00")
        }
        return value == 0xFF
    }

    /// `BOOLEAN DEFAULT FALSE`: absent, or TRUE. FALSE written out is not DER (X.690 §11.5).
    package mutating func booleanDefaultFalse() throws(Rejection) -> Bool {
        guard let content = try optional(.boolean)?.content else { return false }
        guard content.count == 1, content.first == 0xFF else { throw rejection("a BOOLEAN that is neither FF nor left out") }
        return true
    }

    package mutating func objectIdentifier() throws(Rejection) -> OID {
        let content = try element(.objectIdentifier).content
        guard let oid = OID(content: content) else { throw rejection("a malformed OBJECT IDENTIFIER") }
        return oid
    }

    package mutating func octetString() throws(Rejection) -> ArraySlice<UInt8> { try element(.octetString).content }

    /// A BIT STRING of whole octets, such as keys and signatures.
    package mutating func bitString() throws(Rejection) -> ArraySlice<UInt8> {
        let content = try element(.bitString).content
        guard content.first == 0 else { throw rejection("a BIT STRING that is not whole octets") }
        return content.dropFirst()
    }

    /// A BIT STRING of named bits, without trailing zero bits (X.690 §11.2.2), as octets; bit 0 is the top bit of the first.
    package mutating func namedBits() throws(Rejection) -> ArraySlice<UInt8> {
        let content = try element(.bitString).content
        guard let unused = content.first, unused < 8 else { throw rejection("a BIT STRING with a bad count of unused bits") }
        let bits = content.dropFirst()
        guard let last = bits.last else {
            guard unused == 0 else { throw rejection("an empty BIT STRING with unused bits") }
            return bits
        }
        guard last.trailingZeroBitCount == Int(unused) else {
            throw rejection("named bits that are not in their shortest form")
        }
        return bits
    }
}
