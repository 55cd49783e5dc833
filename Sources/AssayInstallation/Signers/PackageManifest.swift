/// The compiled `AndroidManifest.xml` of a package (Android's binary XML, `ResourceTypes.h`), as far as the package's name.
enum PackageManifest {
    /// Chunks before the first element. Three or four are usual.
    private static let chunkLimit = 64
    private static let nothing: UInt64 = 0xFFFF_FFFF

    private enum Chunk {
        static let xml = 0x0003
        static let strings = 0x0001
        static let element = 0x0102
    }

    /// The attribute `package` of the element `manifest`.
    static func packageName(in bytes: [UInt8]) throws(SignerFileError) -> String {
        var file = LittleEndianCursor(bytes[...], "AndroidManifest.xml")
        guard try file.count(2) == Chunk.xml else { throw file.failure("it is not compiled XML") }
        try file.skip(6)
        var strings: StringPool?
        for _ in 0..<chunkLimit {
            guard !file.isAtEnd else { break }
            var header = file
            let (type, headerSize, size) = (try header.count(2), try header.count(2), try header.count(4))
            guard headerSize >= 8, size >= headerSize else { throw file.failure("a chunk of \(size) bytes") }
            let chunk = try file.take(size)
            switch type {
            case Chunk.strings where strings == nil:
                strings = try StringPool(chunk)
            case Chunk.element:
                guard let strings else { throw file.failure("an element before the strings") }
                return try name(in: chunk.dropFirst(headerSize), strings)
            default: continue
            }
        }
        throw file.failure("it has no element")
    }

    private static func name(in element: ArraySlice<UInt8>, _ strings: StringPool) throws(SignerFileError) -> String {
        let place = "AndroidManifest.xml, its first element"
        var cursor = LittleEndianCursor(element, place)
        try cursor.skip(4)
        guard try strings.text(at: cursor.number(4)) == "manifest" else { throw cursor.failure("it is not \"manifest\"") }
        let (start, size, count) = (try cursor.count(2), try cursor.count(2), try cursor.count(2))
        guard size >= 20 else { throw cursor.failure("attributes of \(size) bytes") }
        cursor = LittleEndianCursor(element, place)
        try cursor.skip(start)
        for _ in 0..<count {
            var attribute = LittleEndianCursor(try cursor.take(size), place)
            let (space, name, raw) = (try attribute.number(4), try attribute.number(4), try attribute.number(4))
            try attribute.skip(3)
            let (type, data) = (try attribute.number(1), try attribute.number(4))
            guard space == nothing, try strings.text(at: name) == "package" else { continue }
            let isText = type == 0x03
            guard raw != nothing || isText else { break }
            let value = try strings.text(at: raw == nothing ? data : raw)
            guard AndroidApp.isPackage(value) else { throw cursor.failure("its package is none") }
            return value
        }
        throw cursor.failure("it has no package")
    }

    /// The strings of the file.
    private struct StringPool {
        private let bytes: ArraySlice<UInt8>
        private let count: UInt64
        private let isUTF8: Bool
        private let start: Int
        private static let place = "AndroidManifest.xml, its strings"
        /// In bytes. The longest that are read are names of packages.
        private static let textLimit = 1024

        init(_ chunk: ArraySlice<UInt8>) throws(SignerFileError) {
            var cursor = LittleEndianCursor(chunk, Self.place)
            try cursor.skip(8)
            count = try cursor.number(4)
            try cursor.skip(4)
            isUTF8 = try cursor.number(4) & 0x100 != 0
            start = try cursor.count(4)
            bytes = chunk
        }

        func text(at index: UInt64) throws(SignerFileError) -> String {
            var cursor = LittleEndianCursor(bytes, Self.place)
            guard index < count, let place = Int(exactly: index) else { throw cursor.failure("there is no string \(index)") }
            try cursor.skip(28 + 4 * place)
            let offset = try cursor.count(4)
            cursor = LittleEndianCursor(bytes, Self.place)
            try cursor.skip(start)
            try cursor.skip(offset)
            if isUTF8 {
                // The number of characters, then that of bytes.
                _ = try Self.length(&cursor, unit: 1)
                let text = String(validating: try cursor.take(try Self.length(&cursor, unit: 1)), as: UTF8.self)
                guard let text else { throw cursor.failure("a string that is not UTF-8") }
                return text
            }
            var units: [UInt16] = []
            for _ in 0..<(try Self.length(&cursor, unit: 2)) { units.append(UInt16(truncatingIfNeeded: try cursor.number(2))) }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw cursor.failure("a string that is not UTF-16")
            }
            return text
        }

        /// One unit, or two if the highest bit of the first is set.
        private static func length(_ cursor: inout LittleEndianCursor, unit: Int) throws(SignerFileError) -> Int {
            let first = try cursor.count(unit)
            let high = 1 << (unit * 8 - 1)
            let length = first & high == 0 ? first : (first & (high - 1)) << (unit * 8) | (try cursor.count(unit))
            guard length <= textLimit else { throw cursor.failure("a string of \(length)") }
            return length
        }
    }
}
