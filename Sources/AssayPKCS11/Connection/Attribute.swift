import CPKCS11

/// An attribute that Assay writes into a template.
struct Attribute {
    let type: CK_ATTRIBUTE_TYPE
    let value: [UInt8]

    static func bytes(_ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) -> Attribute { Attribute(type: type, value: value) }

    static func flag(_ type: CK_ATTRIBUTE_TYPE, _ value: Bool) -> Attribute { Attribute(type: type, value: [value ? 1 : 0]) }

    static func number(_ type: CK_ATTRIBUTE_TYPE, _ value: CK_ULONG) -> Attribute {
        Attribute(type: type, value: withUnsafeBytes(of: value) { Array($0) })
    }

    /// The attributes as a C array, whose values lie one after the other in one place, each at a multiple of 8.
    static func withTemplate<T>(
        _ attributes: [Attribute], _ body: (UnsafeMutablePointer<CK_ATTRIBUTE>, CK_ULONG) throws(TokenError) -> T
    ) throws(TokenError) -> T {
        let values = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(8, attributes.reduce(0) { $0 + padded($1.value.count) }), alignment: 8)
        let template = UnsafeMutablePointer<CK_ATTRIBUTE>.allocate(capacity: max(1, attributes.count))
        defer {
            values.deallocate()
            template.deallocate()
        }
        var offset = 0
        for (index, attribute) in attributes.enumerated() {
            let place = UnsafeMutableRawBufferPointer(rebasing: values[offset..<(offset + attribute.value.count)])
            place.copyBytes(from: attribute.value)
            template[index] = CK_ATTRIBUTE(
                type: attribute.type, pValue: place.baseAddress, ulValueLen: CK_ULONG(attribute.value.count))
            offset += padded(attribute.value.count)
        }
        return try body(template, CK_ULONG(attributes.count))
    }

    private static func padded(_ count: Int) -> Int { (count + 7) & ~7 }
}
