package import AssayCore
package import AssayEncoding

/// The URIs and DNS names in a certificate's subject alternative name (RFC 5280 §4.2.1.6). Other kinds are skipped.
///
/// Names are visible ASCII and compared as bytes.
package struct SubjectAlternativeNames: Hashable, Sendable {
    /// Names of one certificate, of all kinds.
    package static let limit = 32
    /// Bytes of one name: the longest that a SPIFFE id may have (SPIFFE-ID §2.3).
    package static let nameLimit = 2048

    package let uris: [String]
    package let dnsNames: [String]

    /// - Parameter value: the content of the extension's extnValue.
    package init(_ value: ArraySlice<UInt8>) throws(Rejection) {
        var (uris, dnsNames): ([String], [String]) = ([], [])
        try DERReader.parse(value, code: .malformedCertificate) { reader throws(Rejection) in
            try reader.sequence { names throws(Rejection) in
                var count = 0
                repeat {
                    count += 1
                    guard count <= Self.limit else {
                        throw names.rejection("more than \(Self.limit) subject alternative names")
                    }
                    let name = try names.element()
                    switch name.tag {
                    case .dnsName: dnsNames.append(try Self.text(name, names))
                    case .uri: uris.append(try Self.text(name, names))
                    default: break
                    }
                } while !names.isAtEnd
            }
        }
        (self.uris, self.dnsNames) = (uris, dnsNames)
    }

    /// An IA5String without control characters and spaces.
    private static func text(_ name: DERElement, _ reader: DERReader) throws(Rejection) -> String {
        guard !name.content.isEmpty, name.content.count <= nameLimit, name.content.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw reader.rejection(
                "a subject alternative name that is empty, longer than \(nameLimit) bytes or not visible ASCII")
        }
        return String(decoding: name.content, as: UTF8.self)
    }
}

extension Certificate {
    /// `nil` if the extension is absent.
    package func subjectAlternativeNames() throws(Rejection) -> SubjectAlternativeNames? {
        guard let value = value(of: .subjectAlternativeName) else { return nil }
        return try SubjectAlternativeNames(value)
    }
}

extension OID {
    package static let subjectAlternativeName = OID(2, 5, 29, 17)
}

extension DERTag {
    fileprivate static let dnsName = DERTag.implicit(2)
    fileprivate static let uri = DERTag.implicit(6)
}
