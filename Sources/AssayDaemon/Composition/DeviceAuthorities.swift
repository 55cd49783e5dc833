import AssayConfiguration
import AssayCore
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
