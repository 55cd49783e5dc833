import AssayCore
import AssayEncoding

/// The attributes that a signer signs in place of the content, among them the content's type and digest (RFC 5652 §5.3, §11).
struct SignedAttributes: Sendable {
    /// Attributes of one signer. Four were seen.
    static let limit = 16

    /// The attributes with the tag SET OF: only the first octet differs from the message (§5.4).
    let signedBytes: ArraySlice<UInt8>
    let messageDigest: ArraySlice<UInt8>

    private static let contentType = OID(1, 2, 840, 113_549, 1, 9, 3)
    private static let messageDigest = OID(1, 2, 840, 113_549, 1, 9, 4)

    /// - Parameter encoded: the element `[0]`, in DER, as the standard requires even inside BER.
    init(_ encoded: ArraySlice<UInt8>) throws(Rejection) {
        var type: OID?
        var digest: ArraySlice<UInt8>?
        try DERReader.parse(encoded, code: .malformedCMS) { outer throws(Rejection) in
            try outer.scope(.context(0)) { list throws(Rejection) in
                var count = 0
                while !list.isAtEnd {
                    count += 1
                    guard count <= Self.limit else { throw list.rejection("more than \(Self.limit) signed attributes") }
                    try list.sequence { attribute throws(Rejection) in
                        let name = try attribute.objectIdentifier()
                        let values = try attribute.element(.set).content
                        if name == Self.contentType {
                            guard type == nil else { throw attribute.rejection("two content types") }
                            type = try DERReader.parse(values, code: .malformedCMS) { value throws(Rejection) in
                                try value.objectIdentifier()
                            }
                        } else if name == Self.messageDigest {
                            guard digest == nil else { throw attribute.rejection("two digests") }
                            digest = try DERReader.parse(values, code: .malformedCMS) { value throws(Rejection) in
                                try value.octetString()
                            }
                        }
                    }
                }
            }
        }
        guard type == SignedData.data, let digest else {
            throw Rejection(.malformedCMS, "signed attributes without the content's type or digest")
        }
        messageDigest = digest
        signedBytes = ([0x31] + encoded.dropFirst())[...]
    }
}
