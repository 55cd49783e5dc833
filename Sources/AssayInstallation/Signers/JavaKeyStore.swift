/// A keystore of Java's own kind (JKS). Its private keys are encrypted, and its certificates are not: no password is needed to read them. Its
/// checksum takes the password, and is not looked at.
enum JavaKeyStore {
    /// In bytes.
    static let sizeLimit = 8 << 20
    static let magic: [UInt8] = [0xFE, 0xED, 0xFE, 0xED]
    private static let entryLimit = 1024
    private static let chainLimit = 32

    /// The private keys by their names (aliases), each with its own certificate.
    static func keys(in bytes: [UInt8]) throws(SignerFileError) -> [(name: String, certificate: [UInt8])] {
        var cursor = BigEndianCursor(bytes, "the keystore")
        try cursor.skip(magic.count)
        let version = try cursor.number(4)
        guard version == 1 || version == 2 else { throw cursor.failure("it is of version \(version)") }
        let count = try cursor.number(4)
        guard count <= entryLimit else { throw cursor.failure("\(count) entries") }
        var keys: [(String, [UInt8])] = []
        for _ in 0..<count {
            let kind = try cursor.number(4)
            guard let name = String(validating: try cursor.take(try cursor.number(2)), as: UTF8.self) else {
                throw cursor.failure("a name that is not UTF-8")
            }
            // When it was made.
            try cursor.skip(8)
            switch kind {
            case 1:
                try cursor.skip(try cursor.number(4))
                let length = try cursor.number(4)
                guard length <= chainLimit else { throw cursor.failure("a chain of \(length) certificates") }
                var chain: [[UInt8]] = []
                for _ in 0..<length { chain.append(try certificate(&cursor, version)) }
                if let own = chain.first { keys.append((name, own)) }
            case 2: _ = try certificate(&cursor, version)
            default: throw cursor.failure("an entry of the kind \(kind)")
            }
        }
        return keys
    }

    private static func certificate(_ cursor: inout BigEndianCursor, _ version: Int) throws(SignerFileError) -> [UInt8] {
        // Its type, which is X.509.
        if version == 2 { try cursor.skip(try cursor.number(2)) }
        return Array(try cursor.take(try cursor.number(4)))
    }

    /// A forward-only reader of big-endian numbers, which cannot trap.
    private struct BigEndianCursor {
        private var rest: ArraySlice<UInt8>
        private let place: String

        init(_ bytes: [UInt8], _ place: String) { (rest, self.place) = (bytes[...], place) }

        mutating func take(_ count: Int) throws(SignerFileError) -> ArraySlice<UInt8> {
            guard count >= 0, count <= rest.count else { throw failure("want \(count) bytes, have \(rest.count)") }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }

        mutating func skip(_ count: Int) throws(SignerFileError) { _ = try take(count) }

        /// At most four bytes.
        mutating func number(_ width: Int) throws(SignerFileError) -> Int {
            try take(min(width, 4)).reduce(0) { $0 << 8 | Int($1) }
        }

        func failure(_ what: String) -> SignerFileError { .malformed("\(place): \(what)") }
    }
}
