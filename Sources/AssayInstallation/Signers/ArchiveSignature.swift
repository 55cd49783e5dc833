import AssayCertificates
import AssayCore
import AssayEncoding

/// The signature block of JAR signing (version 1 of Android's), `META-INF/….RSA`: signed data of CMS without its content (RFC 5652 §5). Only the
/// signer's certificate is taken from it.
enum ArchiveSignature {
    /// Certificates in the message. One is usual.
    private static let certificateLimit = 16

    static func signer(_ bytes: [UInt8], in name: String) throws(SignerFileError) -> [UInt8] {
        do throws(Rejection) {
            return try BERReader.parse(bytes[...], code: .malformedCMS) { outer throws(Rejection) in
                try outer.sequence { message throws(Rejection) in
                    _ = try message.element(.objectIdentifier)
                    return try message.scope(.context(0)) { wrapper throws(Rejection) in
                        try wrapper.sequence { fields throws(Rejection) in try signer(&fields) }
                    }
                }
            }
        } catch {
            throw .malformed("\(name.prefix(64)): \(error.detail)")
        }
    }

    private static func signer(_ fields: inout BERReader) throws(Rejection) -> [UInt8] {
        // The version, the digest algorithms, and what is signed.
        _ = try fields.element(.integer)
        _ = try fields.element(.set)
        _ = try fields.element(.sequence)
        guard let bag = try fields.optional(.context(0)) else { throw fields.rejection("no certificates") }
        _ = try fields.optional(.context(1))
        var signers = BERReader(try fields.element(.set).content, code: .malformedCMS)
        var signer = BERReader(try signers.element(.sequence).content, code: .malformedCMS)
        _ = try signer.element(.integer)
        let name = try signer.element(.sequence).content

        var list = BERReader(bag.content, code: .malformedCMS)
        var count = 0
        while !list.isAtEnd {
            count += 1
            guard count <= certificateLimit else { throw list.rejection("more than \(certificateLimit) certificates") }
            let der = Array(try list.element(.sequence).encoded)
            if let found = try? SignerCertificate.naming(der), found.signer.elementsEqual(name) { return der }
        }
        throw list.rejection("the signer's certificate is missing")
    }
}
