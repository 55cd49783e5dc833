import AssayConfiguration
import AssayCore
import AssayProvisioning
import AssayService

extension LiveConfiguration {
    /// How long revocation lists are good.
    var revocationListRule: RevocationListRule {
        guard let lists = provisioning?.lists else { return RevocationListRule() }
        return RevocationListRule(lifetime: lists.validity, renewBefore: lists.renewBefore)
    }

    /// Publishes revocation lists as files; `nil` unless the configuration names a folder.
    var publishesRevocationLists: RevocationListTask.Publish? {
        guard let directory = provisioning?.lists.directory else { return nil }
        let files = RevocationListFiles(directory: directory)
        return { name, list in try files.publish(name, list) }
    }
}

/// Reads the CAs of a configuration. Throws `StartupError` with the file that is wrong.
func deviceAuthorities(_ settings: ProvisioningSettings?) async throws(StartupError) -> AuthoritySet {
    do throws(AuthorityFileError) {
        return try AuthoritySet((settings?.authorities ?? []).map(AuthoritySettings.init))
    } catch {
        throw StartupError("a CA cannot be used: \(error.description)")
    }
}

extension AuthoritySettings {
    init(_ authority: ProvisioningSettings.Authority) {
        let key: Key =
            switch authority.key {
            case .file(let path, let passphrase): .file(path, passphraseFile: passphrase)
            case .token(let token):
                .pkcs11(
                    TokenKeySettings(
                        module: token.module, tokenLabel: token.label, keyLabel: token.key, pinFile: token.pin))
            }
        self.init(name: authority.name, certificateFile: authority.certificate, key: key, signsFrom: authority.signsFrom)
    }
}
