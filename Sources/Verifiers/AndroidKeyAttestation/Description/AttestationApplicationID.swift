import AssayCore
import AssayEncoding

/// The app that made the key, according to Android's userspace. Several packages appear only if they share a user id; then any
/// of them may have made the key.
///
///     SEQUENCE { SET OF SEQUENCE { packageName OCTET STRING, version INTEGER }, SET OF OCTET STRING -- SHA-256 of signers -- }
package struct AttestationApplicationID: Hashable, Sendable {
    /// The longest encoding, in bytes: Android makes no key with a longer one.
    static let sizeLimit = 1024
    private static let digestLength = 32
    private static let placeholders: Set<OpaqueText> = ["UnknownPackage", "UnknownApplication"]

    package struct Package: Hashable, Sendable {
        package let name: String
        /// The version code.
        package let version: Int64
    }

    package let packages: [Package]
    /// SHA-256 of the certificates that currently sign the packages, 32 bytes each.
    package let signers: [[UInt8]]

    init(packages: [Package], signers: [[UInt8]]) { (self.packages, self.signers) = (packages, signers) }

    init(
        parsing bytes: ArraySlice<UInt8>, code: ReasonCode, _ notes: inout DescriptionReader
    ) throws(Rejection) {
        guard bytes.count <= Self.sizeLimit else { throw Rejection(code, "an application id of \(bytes.count) bytes") }
        var outer = DERReader(bytes, code: code)
        var fields = DERReader(try outer.content(.sequence), code: code)
        try outer.finish("the application id")
        var packages: [Package] = []
        try fields.field("packages") { field throws(Rejection) in
            try notes.set(&field) { element throws(Rejection) in packages.append(try Self.package(element, code)) }
        }
        var signers: [[UInt8]] = []
        try fields.field("signature_digests") { field throws(Rejection) in
            try notes.set(&field) { element throws(Rejection) in signers.append(try Self.signer(element, code)) }
        }
        try fields.finish("the application id")
        (self.packages, self.signers) = (packages, signers)
    }

    private static func signer(_ element: DERElement, _ code: ReasonCode) throws(Rejection) -> [UInt8] {
        let offset = element.encoded.startIndex
        guard element.tag == .octetString else {
            throw Rejection(code, "\(element.tag.withArticle) where an OCTET STRING is due", offset: offset)
        }
        guard element.content.count == digestLength else {
            throw Rejection(code, "a digest of \(element.content.count) bytes, want \(digestLength)", offset: offset)
        }
        return Array(element.content)
    }

    private static func package(_ element: DERElement, _ code: ReasonCode) throws(Rejection) -> Package {
        try DERReader.parse(element.encoded, code: code) { outer throws(Rejection) in
            try outer.sequence { fields throws(Rejection) in
                guard let name = String(validating: try fields.octetString(), as: UTF8.self) else {
                    throw fields.rejection("a package's name is not UTF-8")
                }
                guard case .number(let number) = try DescriptionReader.unsigned(&fields), let version = Int64(exactly: number)
                else { throw fields.rejection("a package's version has more than 63 bits") }
                return Package(name: name, version: version)
            }
        }
    }

    /// Android could not determine which app made the key: a fault before Android 17 that a restart cures.
    var isPlaceholder: Bool {
        signers.isEmpty && packages.count == 1
            && packages.allSatisfy { Self.placeholders.contains(OpaqueText($0.name)) }
    }
}
