import AssaySchemes
import AssaySigning

/// Where a private key is, as the configuration says it: in a file, or in a PKCS#11 token. `provisioning.authorities` and `results.keys` say it alike.
enum KeyPlace {
    /// A PKCS#8 file, and the file with its passphrase; `nil`: the key is not encrypted.
    case file(String, passphraseFile: String?)
    case token(TokenKeySettings)

    /// `nil` if something is missing or does not go together, which is reported.
    ///
    /// - Parameters:
    ///   - section: has `passphrase_file`, `pkcs11`, and the name of the file. The caller ends it.
    ///   - name: under which the section names the file.
    ///   - value: the section's.
    init?(
        reading section: ConfigurationReader.Section, file name: String, of value: ConfigurationReader.Value,
        _ files: ConfigurationFiles
    ) {
        let (file, token) = (section.optional(name), section.optional("pkcs11"))
        let passphrase = section.optional("passphrase_file")
        let passphraseFile = passphrase?.path(files)
        switch (file, token) {
        case (let file?, nil):
            guard let path = file.path(files) else { return nil }
            self = .file(path, passphraseFile: passphraseFile)
        case (nil, let token?):
            passphrase?.report("a token's key has a \"pin_file\"")
            guard let settings = TokenKeySettings(reading: token, files) else { return nil }
            self = .token(settings)
        case (nil, nil), (_?, _?):
            value.report("want either \"\(name)\" or \"pkcs11\"")
            return nil
        }
    }
}

extension TokenKeySettings {
    fileprivate init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let module = section.required("module")?.path(files)
        let label = section.required("token")?.filledText()
        let key = section.required("key")?.filledText()
        let pin = section.required("pin_file")?.path(files)
        section.done()
        guard let module, let label, let key, let pin else { return nil }
        self.init(module: module, tokenLabel: label, keyLabel: key, pinFile: pin)
    }
}
