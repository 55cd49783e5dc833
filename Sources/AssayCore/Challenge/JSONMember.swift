/// One text member of a JSON object.
enum JSONMember {
    /// The bytes of the text at `path`, unescaped. The whole document must be strict JSON. Throws `client_data_mismatch` if it
    /// is not, or has no text there.
    static func text(at path: [String], in document: [UInt8]) throws(Rejection) -> [UInt8] {
        var value = try JSONReader.parse(document[...], code: .clientDataMismatch)
        for name in path {
            guard case .object(let object) = value, let next = object[name.utf8] else { throw missing(path) }
            value = next
        }
        guard case .string(let text) = value else { throw missing(path) }
        return text
    }

    private static func missing(_ path: [String]) -> Rejection {
        Rejection(.clientDataMismatch, "client data has no text at \(path.joined(separator: "."))")
    }
}
