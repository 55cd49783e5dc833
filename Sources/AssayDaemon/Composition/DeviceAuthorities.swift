import AssayConfiguration
import AssayCore
import AssayProvisioning
import AssayService
import AssaySigning
import Logging

extension LiveConfiguration {
    /// How long revocation lists are good.
    var revocationListRule: RevocationListRule {
        guard let lists = provisioning?.lists else { return RevocationListRule() }
        return RevocationListRule(lifetime: lists.validity, renewBefore: lists.renewBefore, url: lists.url)
    }

    /// Publishes revocation lists as files; `nil` unless the configuration names a folder.
    var publishesRevocationLists: RevocationListTask.Publish? {
        guard let directory = provisioning?.lists.directory else { return nil }
        let files = RevocationListFiles(directory: directory)
        return { name, list in try files.publish(name, list) }
    }
}

/// Reads the CAs of a configuration. Throws `StartupError` with the file that is wrong. A token that is away is not waited for.
///
/// - Parameter logger: is told when a token cannot be used, and when it can be again.
func deviceAuthorities(_ settings: ProvisioningSettings?, logger: Logger) throws(StartupError) -> AuthoritySet {
    do throws(CredentialFileError) {
        return try openingTokens(logger: logger) { openToken throws(CredentialFileError) in
            try AuthoritySet((settings?.authorities ?? []).map(\.settings), openToken: openToken)
        }
    } catch {
        throw StartupError("a CA cannot be used: \(error.description)")
    }
}
