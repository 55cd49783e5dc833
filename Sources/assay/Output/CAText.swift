import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import Foundation

/// What the commands of `assay ca` print.
struct CAText {
    static var now: Timestamp { Timestamp(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

    func show(_ made: MadeAuthority) {
        let passphrase = made.madePassphrase ? "the passphrase of the key, made now" : "the passphrase of the key, as it was"
        Console.print("\(made.chain.issuer.subject)")
        Console.print("  \(made.files.certificate)  certificate, valid until \(made.chain.validity.notAfter)")
        if let key = made.tokenKey {
            let place = "the key \(Self.quoted(key.settings.keyLabel)) of the token \(Self.quoted(key.settings.tokenLabel))"
            Console.print(
                "  \(place)  private key, "
                    + (key.neverLeft
                        ? "made in the token and never outside"
                        : "which may have been outside: the token does not say that it was made there and never left it"))
            return
        }
        Console.print("  \(made.files.key)  private key, encrypted")
        Console.print("  \(made.files.passphrase)  \(passphrase)")
    }

    func showOffline(_ root: MadeAuthority) {
        Console.print("")
        Console.print("Take offline, and keep apart: \(root.files.key) and \(root.files.passphrase).")
        Console.print("The daemon does not need them; 'assay ca next' does.")
    }

    /// Says to standard error that a CA is a root, if it is one.
    func warnOfRoot(_ made: MadeAuthority) {
        guard made.chain.certificates.count == 1 else { return }
        Console.note(
            "warning: this CA is a self-signed root. With its key in a daemon it is online, and no list can revoke it; 'assay ca init' "
                + "makes an issuing CA below an offline root")
    }

    /// The CA as the daemon's configuration names it.
    func showConfiguration(_ made: MadeAuthority, name: String, signsFrom: Timestamp? = nil) {
        Console.print("")
        Console.print("In the daemon's configuration:")
        Console.print("")
        Console.print("provisioning:")
        Console.print("  authorities:")
        Console.print("    - name: \(name)")
        Console.print("      certificate: \(Self.quoted(path: made.files.certificate))")
        if let token = made.tokenKey?.settings {
            Console.print("      pkcs11:")
            for line in Self.lines(of: token) { Console.print("        " + line) }
        } else {
            Console.print("      key: \(Self.quoted(path: made.files.key))")
            Console.print("      passphrase_file: \(Self.quoted(path: made.files.passphrase))")
        }
        if let signsFrom { Console.print("      signs_from: \"\(Timestamp(unixSeconds: signsFrom.unixMilliseconds / 1000))\"") }
    }

    /// A key in a token as a section of the configuration.
    static func lines(of token: TokenKeySettings) -> [String] {
        [
            "module: \(quoted(path: token.module))", "token: \(quoted(token.tokenLabel))", "key: \(quoted(token.keyLabel))",
            "pin_file: \(quoted(path: token.pinFile))",
        ]
    }

    /// An absolute path, in quotes.
    static func quoted(path: String) -> String {
        quoted(URL(fileURLWithPath: path).standardizedFileURL.path(percentEncoded: false))
    }

    /// A text in quotes as YAML has them (double-quoted, which JSON's escapes suit).
    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : scalar.value < 0x20 ? "?" : "\(scalar)"
        }
        return "\"" + escaped.joined() + "\""
    }

    static func lines(_ chain: AuthorityChain, _ file: String) -> [String] {
        ["\(file): the chain checks out"]
            + chain.certificates.flatMap { certificate in
                [
                    "  \(certificate.subject)", "    issuer       \(certificate.issuer)",
                    "    serial       \(Hex.encode(certificate.serial))", "    public key   \(certificate.publicKey.algorithm)",
                    "    validity     \(certificate.validity.notBefore) to \(certificate.validity.notAfter)",
                    "    SPKI SHA-256 \(Hex.encode(certificate.publicKey.sha256))",
                    "    certificate  \(Hex.encode(certificate.digest)) (SHA-256)",
                ]
            }
    }

    static func json(_ chain: AuthorityChain, _ file: String) -> [String: Any] {
        [
            "file": file, "not_before": chain.validity.notBefore.description, "not_after": chain.validity.notAfter.description,
            "issuer": Hex.encode(chain.issuer.publicKey.sha256),
            "certificates": chain.certificates.map { certificate in
                [
                    "subject": "\(certificate.subject)", "issuer": "\(certificate.issuer)",
                    "serial": Hex.encode(certificate.serial),
                    "not_before": certificate.validity.notBefore.description,
                    "not_after": certificate.validity.notAfter.description,
                    "spki_sha256": Hex.encode(certificate.publicKey.sha256),
                    "certificate_sha256": Hex.encode(certificate.digest),
                ]
            },
        ]
    }
}
