import Testing

/// An independent DER reader that shares no code with the writers. For tests: it stops at unexpected input.
struct PlainDER: Hashable, Sendable {
    /// Class and form, the upper three bits of the first octet.
    let form: UInt8
    let number: Int
    let content: [UInt8]

    /// Elements one after the other.
    static func all(_ bytes: [UInt8]) throws -> [PlainDER] {
        var elements: [PlainDER] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            var number = Int(first & 0x1F)
            if number == 31 {
                number = 0
                var more = true
                while more {
                    guard let octet = rest.popFirst() else { throw Cut() }
                    number = number << 7 | Int(octet & 0x7F)
                    more = octet & 0x80 != 0
                }
            }
            guard let second = rest.popFirst() else { throw Cut() }
            var length = Int(second)
            if length >= 0x80 {
                let count = length & 0x7F
                try #require((1...3).contains(count) && count <= rest.count)
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            try #require(length <= rest.count)
            elements.append(PlainDER(form: first & 0xE0, number: number, content: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return elements
    }

    struct Cut: Error {}

    static func one(_ bytes: [UInt8]) throws -> PlainDER {
        let elements = try all(bytes)
        try #require(elements.count == 1)
        return elements[0]
    }

    var children: [PlainDER] { get throws { try Self.all(content) } }

    func child(_ index: Int) throws -> PlainDER {
        let children = try children
        try #require(index < children.count)
        return children[index]
    }

    /// A non-negative INTEGER or ENUMERATED.
    var integer: UInt64 { content.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// A parsed certificate.
struct PlainCertificate: Sendable {
    let bytes: [UInt8]
    let toBeSigned: [UInt8]
    let fields: [PlainDER]
    let algorithm: [UInt8]
    let signature: [UInt8]

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        let parts = try PlainDER.one(bytes).children
        try #require(parts.count == 3)
        // SEQUENCE headers are as long as the total says; the first part begins where its content ends minus its length.
        let header = bytes.count - (try PlainDER.one(bytes)).content.count
        let inner = try Self.length(of: Array(bytes.dropFirst(header)))
        toBeSigned = Array(bytes.dropFirst(header).prefix(inner))
        fields = try parts[0].children
        algorithm = parts[1].content
        try #require(parts[2].number == 3 && parts[2].content.first == 0)
        signature = Array(parts[2].content.dropFirst())
        try #require(fields.count >= 7)
    }

    var serial: [UInt8] { fields[1].content }
    var issuer: [UInt8] { fields[3].content }
    var subject: [UInt8] { fields[5].content }
    /// DER, with its header.
    var subjectPublicKeyInfo: [UInt8] {
        get throws {
            let content = fields[6].content
            let header = try #require(toBeSigned.firstRange(of: content)).lowerBound
            // The header is two to four octets long; the one with this length is correct.
            for length in 2...4 {
                let candidate = Array(toBeSigned[(header - length)..<(header + content.count)])
                if candidate.first == 0x30, (try? PlainDER.one(candidate))?.content == content { return candidate }
            }
            throw Missing()
        }
    }

    /// The content of an extension's OCTET STRING; `nil` if the certificate has no such extension.
    func value(ofExtension identifier: [UInt8]) throws -> [UInt8]? {
        try extensions.first { try $0.child(0).content == identifier }.map { try $0.children.last?.content ?? [] }
    }

    var extensions: [PlainDER] {
        get throws {
            guard let wrapper = fields.first(where: { $0.form == 0xA0 && $0.number == 3 }) else { return [] }
            return try wrapper.child(0).children
        }
    }

    struct Missing: Error {}

    /// The length of the first element in the bytes, including its header.
    private static func length(of bytes: [UInt8]) throws -> Int {
        let first = Int(bytes[1])
        guard first >= 0x80 else { return 2 + first }
        let count = first & 0x7F
        return 2 + count + bytes[2..<(2 + count)].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Content octets of extension names.
enum PlainName {
    static let keyDescription: [UInt8] = [0x2B, 6, 1, 4, 1, 0xD6, 0x79, 2, 1, 17]
    static let provisioningInfo: [UInt8] = [0x2B, 6, 1, 4, 1, 0xD6, 0x79, 2, 1, 30]
    static let basicConstraints: [UInt8] = [0x55, 0x1D, 19]
}

/// A parsed key description.
struct PlainDescription: Sendable {
    let elements: [PlainDER]

    init(leaf: [UInt8]) throws {
        let value = try #require(try PlainCertificate(leaf).value(ofExtension: PlainName.keyDescription))
        elements = try PlainDER.one(value).children
        try #require(elements.count == 8)
    }

    var software: [Int: PlainDER] { get throws { try Self.list(elements[6]) } }
    var hardware: [Int: PlainDER] { get throws { try Self.list(elements[7]) } }

    private static func list(_ element: PlainDER) throws -> [Int: PlainDER] {
        let entries = try element.children
        try #require(entries.allSatisfy { $0.form == 0xA0 })
        return Dictionary(try entries.map { ($0.number, try $0.child(0)) }, uniquingKeysWith: { first, _ in first })
    }
}
