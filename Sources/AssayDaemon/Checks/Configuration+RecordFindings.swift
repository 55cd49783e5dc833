import AssayConfiguration
import AssayCore
import AssayFiles
import AssaySQLite
import AssaySchemes

extension Configuration {
    /// Why verdicts would not be recorded. A missing folder of the ledger is that of the records too, and is reported once.
    func recordFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        let (settings, path) = (live.verdicts, live.verdicts.file)
        guard settings.rule.recorded != .none else { return [] }
        var why: String?
        if let file = UnixFile(at: path) {
            if file.kind != .file {
                why = "\(path) is not a regular file"
            } else if !file.permissions.allow(.write, to: account) || !file.permissions.allow(.read, to: account) {
                why = "\(account.words) may not read and write \(path)"
            } else if !settings.movesDamagedAside {
                why = SQLiteVerdictRecords.foreignContent(of: path)
            }
        } else if ProtectedFile.folder(of: path) != ProtectedFile.folder(of: fixed.store.ownFiles) {
            why = Self.trouble(inFolderOf: path, account)
        }
        return why.map { [finding(.recordsFile, at: "verdicts.file", "\($0); verdicts are given, and not recorded")] } ?? []
    }
}
