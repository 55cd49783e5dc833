import AssayCore
import AssayEncoding

extension FuzzTarget {
    static func cbor(_ bytes: [UInt8]) {
        if let item = try? CBORReader.parse(bytes[...], code: .malformedCBOR) { walk(item) }
        _ = try? CBORReader.parsePrefix(bytes[...], code: .malformedCBOR)
    }

    private static func walk(_ item: CBORItem) {
        _ = item.integer
        _ = try? item.text("text")
        try? item.elements("array") { (element) throws(Rejection) in walk(element) }
        try? item.pairs("map") { (key, value) throws(Rejection) in
            walk(key)
            walk(value)
        }
    }
}
