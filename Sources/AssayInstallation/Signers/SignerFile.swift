import AssayCore
import AssayEncoding

/// What a file says of who signs an app: an APK, a keystore, or a certificate.
///
/// Nothing is verified: the file is the operator's own, and what is taken from it is what devices have to attest.
package struct SignerFile: Sendable {
    /// A certificate, and where in the file it stands.
    package struct Signer: Hashable, Sendable {
        package let certificate: SignerCertificate
        /// Such as "APK Signature Scheme v3" or "the key upload".
        package let origin: String
    }

    /// No two with the same certificate.
    package let signers: [Signer]
    /// Of an APK: the name of the package.
    package let packageName: String?

    /// - Parameter key: the name (alias) of the key in a keystore; `nil`: the only one.
    package init(_ source: some ByteSource, key: String? = nil) throws(SignerFileError) {
        let start = try source.read(0..<min(source.count, 10))
        var found: [(String, [UInt8])] = []
        switch start {
        case _ where start.starts(with: [0x50, 0x4B, 0x03, 0x04]):
            let archive = try PackageArchive(source)
            (found, packageName) = (try Self.signers(of: archive), try Self.packageName(of: archive))
        case _ where start.starts(with: JavaKeyStore.magic):
            let keys = try JavaKeyStore.keys(in: try Self.whole(source, atMost: JavaKeyStore.sizeLimit))
            found = [try Self.chosen(key, among: keys)]
            packageName = nil
        case _ where start.starts(with: [0xCE, 0xCE, 0xCE, 0xCE]):
            throw .encrypted("JCEKS")
        case _ where start.starts(with: "-----BEGIN".utf8):
            found = [("the certificate", try Self.certificate(inPEM: source))]
            packageName = nil
        case _ where start.first == 0x30:
            let bytes = try Self.whole(source, atMost: JavaKeyStore.sizeLimit)
            guard !Self.isPersonalInformationExchange(bytes) else { throw .encrypted("PKCS #12") }
            found = [("the certificate", bytes)]
            packageName = nil
        default:
            throw .unknownKind
        }
        var signers: [Signer] = []
        for (origin, der) in found where !signers.contains(where: { $0.certificate.der == der }) {
            signers.append(Signer(certificate: try SignerCertificate(der: der), origin: origin))
        }
        self.signers = signers
    }

    private static func whole(_ source: some ByteSource, atMost limit: Int) throws(SignerFileError) -> [UInt8] {
        guard source.count <= limit else { throw .malformed("it has more than \(limit) bytes") }
        return try source.read(0..<source.count)
    }

    /// By the schemes of the APK Signing Block; where there is none, by that of the archive (version 1).
    private static func signers<Source>(of archive: PackageArchive<Source>) throws(SignerFileError) -> [(String, [UInt8])] {
        let signers = try archive.signingBlockSigners()
        guard signers.isEmpty else { return signers.map { ($0.scheme.name, $0.certificate) } }
        var older: [(String, [UInt8])] = []
        for entry in archive.entries where PackageArchive<Source>.isSignature(entry.name) {
            older.append(("JAR signing", try ArchiveSignature.signer(try archive.content(of: entry), in: entry.name)))
        }
        guard !older.isEmpty else { throw .unsigned }
        return older
    }

    /// An app bundle (AAB) has its manifest elsewhere, and in another form.
    private static func packageName<Source>(of archive: PackageArchive<Source>) throws(SignerFileError) -> String? {
        guard let manifest = archive.entries.first(where: { !PackageArchive<Source>.isSignature($0.name) }) else { return nil }
        return try PackageManifest.packageName(in: try archive.content(of: manifest))
    }

    private static func chosen(
        _ name: String?, among keys: [(name: String, certificate: [UInt8])]
    ) throws(SignerFileError) -> (String, [UInt8]) {
        let names = keys.map(\.name)
        guard let name else {
            guard let only = keys.first, keys.count == 1 else {
                throw keys.isEmpty ? .malformed("the keystore has no key") : .severalKeys(names)
            }
            return ("the key \(only.name)", only.certificate)
        }
        // Java compares aliases without regard to case.
        guard let found = keys.first(where: { $0.name.lowercased().utf8.elementsEqual(name.lowercased().utf8) }) else {
            throw .unknownKey(name, names)
        }
        return ("the key \(found.name)", found.certificate)
    }

    private static func certificate(inPEM source: some ByteSource) throws(SignerFileError) -> [UInt8] {
        let bytes = try whole(source, atMost: 4 * SignerCertificate.sizeLimit)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed("PEM that is not text") }
        do throws(Rejection) {
            return try PEM.decode(text).first ?? []
        } catch {
            throw .malformed("the PEM: \(error.detail)")
        }
    }

    /// PFX { version 3, authSafe … } (RFC 7292 §4).
    private static func isPersonalInformationExchange(_ bytes: [UInt8]) -> Bool {
        var reader = BERReader(bytes[...], code: .malformedCertificate)
        guard let outer = try? reader.element(.sequence) else { return false }
        var fields = BERReader(outer.content, code: .malformedCertificate)
        return (try? fields.element(.integer))?.content.elementsEqual([3]) ?? false
    }
}
