import AssayCore
import AssayInstallation
import Foundation

/// Who signs an Android app, as options and answers say it: digests, and files that are read.
struct InitSigners {
    /// A sentence about a file that does not say it.
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// SHA-256 of certificates, no two equal.
    private(set) var digests: [[UInt8]] = []
    /// What was read, a sentence each.
    private(set) var notes: [String] = []
    /// Of an APK.
    private(set) var packageName: String?

    /// The key of a keystore that is meant.
    let alias: String?

    init(alias: String?) { self.alias = alias }

    /// Takes a digest, 64 hexadecimal digits with or without colons, or what a file has.
    mutating func add(_ text: String) throws(Failure) {
        let digits = text.replacing(":", with: "")
        if digits.utf8.count == 64, let bytes = Hex.decode(digits.lowercased()) { return add(bytes) }
        let file: SignerFile
        do throws(SignerFileError) {
            file = try SignerFile(try FileByteSource(text), key: alias)
        } catch {
            throw Failure(description: "\(text) \(error.description)" + Self.remedy(error, text))
        }
        packageName = packageName ?? file.packageName
        if let package = file.packageName { notes.append("\(text): package \(package)") }
        for signer in file.signers {
            add(signer.certificate.digest)
            notes.append(
                "\(text): signer \(Hex.encode(signer.certificate.digest)), \(signer.certificate.subject), by \(signer.origin)")
            if signer.certificate.isOfDebugBuilds {
                notes.append(
                    "\(text): this is the certificate of debug builds of one machine: take that of releases for production")
            }
        }
    }

    private mutating func add(_ digest: [UInt8]) {
        if !digests.contains(digest) { digests.append(digest) }
    }

    private static func remedy(_ error: SignerFileError, _ file: String) -> String {
        switch error {
        case .encrypted:
            ". Take the certificate out, which asks for the password, and give --signer signer.pem: "
                + "keytool -exportcert -rfc -keystore \(file) -alias ALIAS -file signer.pem"
        case .severalKeys, .unknownKey: "; name it with --alias"
        case .unknownKind: ", nor a SHA-256 of 64 hexadecimal digits"
        case .malformed, .unsigned, .unreadable: ""
        }
    }
}
