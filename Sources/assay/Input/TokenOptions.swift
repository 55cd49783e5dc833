import ArgumentParser
import AssayProvisioning
import AssaySigning

/// The PKCS#11 token in which a key is: that of a CA, or one that signs results.
struct TokenOptions: ParsableArguments {
    @Option(
        name: .customLong("pkcs11-module"),
        help: ArgumentHelp("The shared library of the token, an absolute path: the key is in the token.", valueName: "file"))
    var module: String?

    @Option(name: .customLong("token"), help: ArgumentHelp("The label of the token.", valueName: "label"))
    var label: String?

    @Option(help: ArgumentHelp("The file with the PIN of the token's user, mode 0600.", valueName: "file"))
    var pinFile: String?

    @Option(
        help: ArgumentHelp(
            "The label of the key in the token. Default: the name of the CA or key; of 'import': that of the key that belongs to the certificate.",
            valueName: "label"))
    var keyLabel: String?

    var isGiven: Bool { module != nil }

    func validate() throws {
        let parts = [module, label, pinFile]
        guard parts.allSatisfy({ $0 != nil }) || (parts.allSatisfy { $0 == nil } && keyLabel == nil) else {
            throw ValidationError("A key in a token takes --pkcs11-module, --token and --pin-file.")
        }
        guard keyLabel.map({ 1...255 ~= $0.utf8.count }) ?? true else {
            throw ValidationError("--key-label has 1 to 255 bytes.")
        }
    }

    /// `nil` where no token is named.
    func token() throws(CredentialFileError) -> SigningToken? {
        guard let module, let label, let pinFile else { return nil }
        return try SigningToken(module: module, label: label, pinFile: pinFile)
    }

    /// Where a new key is made; `nil`: in a file.
    func place(of name: String) throws(CredentialFileError) -> NewTokenKey? {
        guard let token = try token() else { return nil }
        return NewTokenKey(in: token, label: keyLabel ?? name)
    }
}
