import AssayConfiguration
import AssayCore
import AssayFiles
import AssayPostgres
import AssaySQLite
import AssaySchemes
import AssayService

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Configuration {
    /// What keeps the daemon from opening its ledger and its key file. What only SQLite could tell is not looked at: it would make
    /// files beside the ledger, and disturb a daemon that has it open. docs/reference/check-config.md names that.
    func storeFindings(_ account: UnixAccount, _ now: Timestamp) -> [ConfigurationFinding] {
        let findings =
            switch fixed.store.place {
            case .file(let path): ledgerFileFindings(path, account, now)
            case .postgresql(let settings, _): databaseFindings(settings, account)
            }
        return findings + declarationFindings(account, now)
    }

    private func ledgerFileFindings(
        _ path: String, _ account: UnixAccount, _ now: Timestamp
    ) -> [ConfigurationFinding] {
        let ledger = UnixFile(at: path)
        let content = ledger?.kind == .file ? LedgerContent(of: path) : nil
        let isEmpty = ledger.map { $0.kind == .file && $0.size == 0 } ?? true || content == .empty
        let keyTrouble = keyFileTrouble(account, ledgerIsEmpty: isEmpty || ledger?.kind != .file)

        var findings: [ConfigurationFinding] = []
        let folderTrouble = folderTrouble(of: path, account)
        if let why = folderTrouble {
            findings.append(finding(.ledgerFolder, at: "store.path", why))
        } else if let why = ledgerFileTrouble(path, ledger, content, account) {
            findings.append(finding(.ledgerFile, at: "store.path", why))
        } else if isEmpty, keyTrouble == nil {
            findings += emptyFindings(
                at: "store.path", ledger == nil ? "there is no ledger \(path)" : "the ledger \(path) is empty", now)
        }
        // Of one folder it is said once.
        if let keyTrouble, keyTrouble != folderTrouble {
            findings.append(finding(.keyFile, at: "store.key_file", keyTrouble))
        }
        return findings
    }

    // MARK: The ledger

    private func folderTrouble(of path: String, _ account: UnixAccount) -> String? {
        let path = LedgerFile.resolved(path)
        if let why = Self.trouble(inFolderOf: path, account) { return why }
        // The daemon opens it to put the name of a new file on disk.
        let folder = ProtectedFile.folder(of: path)
        guard UnixFile(at: folder)?.permissions.allow(.read, to: account) == false else { return nil }
        return "\(account.words) may not read the folder \(folder)"
    }

    private func ledgerFileTrouble(
        _ path: String, _ ledger: UnixFile?, _ content: LedgerContent?, _ account: UnixAccount
    ) -> String? {
        if let why = LedgerFile.linkLoop(of: path) { return why }
        if let ledger {
            guard ledger.kind == .file else { return "\(path) is not a regular file" }
            if let why = Self.trouble(using: ledger, "the ledger \(path)", account) { return why }
            if let why = LedgerFile.otherNames(of: path) { return why }
            if case .unusable(let why) = content { return "\(path) \(why)" }
        }
        if let why = LedgerFile.oddSideFile(of: path) { return why }
        for side in LedgerFile.Side.allCases {
            let path = side.path(of: path)
            if let file = UnixFile(at: path), let why = Self.trouble(using: file, "the ledger's file \(path)", account) {
                return why
            }
        }
        guard let (wide, mode) = LedgerFile.wideFile(of: path) else { return nil }
        return
            "other users may use the ledger's file \(wide) (mode 0\(String(mode, radix: 8))): chmod 600 it, after you know who "
            + "has used it"
    }

    /// Why a file cannot be read and written.
    private static func trouble(using file: UnixFile, _ what: String, _ account: UnixAccount) -> String? {
        guard file.permissions.allow(.write, to: account), file.permissions.allow(.read, to: account) else {
            return "\(account.words) may not read and write \(what)"
        }
        return file.isReadOnly ? "\(what) cannot be written: its file system is read-only, or it is immutable" : nil
    }

    /// A ledger that is missing beside its key file.
    private func missing(at key: String, _ what: String, _ why: String) -> ConfigurationFinding {
        finding(
            .ledgerMissing, at: key,
            what + ", but \(why): \(fixed.store.remedyOfEmptiness)")
    }

    /// An empty ledger: whether the daemon would make it a new one. Nothing where its key comes with the start, and no declaration is
    /// there: whether it exists is not known.
    private func emptyFindings(at key: String, _ what: String, _ now: Timestamp) -> [ConfigurationFinding] {
        do throws(StartupError) {
            if let why = try fixed.store.reasonNotToBeNew(at: now) { return [missing(at: key, what, why)] }
        } catch {
            return [finding(.newLedgerMarker, at: "store.new_ledger", error.description)]
        }
        return []
    }

    /// What a declaration of a new ledger will do, and whether its marker can be written.
    private func declarationFindings(_ account: UnixAccount, _ now: Timestamp) -> [ConfigurationFinding] {
        guard let declaration = fixed.store.newLedger else { return [] }
        let place = "store.new_ledger"
        guard declaration.isInForce(at: now) else {
            return [
                finding(
                    .newLedgerDeclared, at: place + ".until",
                    "the declaration ended \(declaration.until): an empty ledger is taken for a lost one; the section may be removed"
                )
            ]
        }
        if let file = UnixFile(at: declaration.marker, followsLink: false),
            let why = Self.trouble(using: file, "the file \(declaration.marker)", account)
        {
            return [finding(.newLedgerMarker, at: place, why)]
        }
        if let why = Self.trouble(inFolderOf: declaration.marker, account) {
            return [finding(.newLedgerMarker, at: place, why)]
        }
        let isNear = fixed.store.file.map { Self.device(of: $0) == Self.device(of: declaration.marker) } ?? false
        return [
            finding(
                .newLedgerDeclared, at: place,
                "until \(declaration.until) an empty ledger is made a new one, once under the id \"\(declaration.id)\""
                    + (isNear
                        ? "; \(declaration.marker) is on the ledger's file system, and where both are lost, only the end protects"
                        : ""))
        ]
    }

    /// The file system that a file is on, or will be on.
    private static func device(of path: String) -> UInt64? {
        var status = stat()
        guard stat(ProtectedFile.folder(of: LedgerFile.resolved(path)), &status) == 0 else { return nil }
        return UInt64(truncatingIfNeeded: status.st_dev)
    }

    // MARK: The ledger in a database

    /// What this machine has of it: the daemon's own files, the key file and the files of the connection.
    private func databaseFindings(_ settings: PostgresSettings, _ account: UnixAccount) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        let own = fixed.store.ownFiles
        let folder = folderTrouble(of: own, account)
        if let folder { findings.append(finding(.ledgerFolder, at: "store.folder", folder)) }
        // Whether the ledger has secrets already, only the database tells.
        let isBeside = ProtectedFile.folder(of: fixed.store.keyFile) == ProtectedFile.folder(of: own)
        if folder == nil || !isBeside, let why = keyFileTrouble(account, ledgerIsEmpty: true) {
            findings.append(finding(.keyFile, at: "store.key_file", why))
        }
        func look(at path: String?, _ key: String) {
            guard let path, let why = Self.trouble(ofSecret: path, account) else { return }
            findings.append(finding(.ledgerDatabase, at: "store.postgresql.\(key)", why))
        }
        look(at: settings.passwordFile, "password_file")
        if case .verified(_, let client) = settings.tls { look(at: client?.key, "key") }
        return findings
    }

    /// Why a file with a secret of the connection cannot be used.
    private static func trouble(ofSecret path: String, _ account: UnixAccount) -> String? {
        guard let file = UnixFile(at: path) else { return path.hasPrefix("/run/credentials/") ? nil : "\(path) is missing" }
        guard file.kind == .file else { return "\(path) is not a regular file" }
        guard file.permissions.keepSecrets else { return "\(path) can be read by others; its mode must be 0600" }
        return file.permissions.allow(.read, to: account) ? nil : "\(account.words) may not read \(path)"
    }

    /// Connects to the database, which takes up to some seconds where it does not answer, and looks whether the key file is that of its
    /// ledger.
    func connectionFindings(_ account: UnixAccount, at now: Timestamp = SystemClock().now()) -> [ConfigurationFinding] {
        guard let found = fixed.store.inspectDatabase() else { return [] }
        var findings: [ConfigurationFinding] = []
        if let why = found.obstacle { findings.append(finding(.ledgerDatabase, at: "store.postgresql", why)) }
        guard let secrets = found.secrets else { return findings }
        let file = fixed.store.keyFile
        if !secrets.isEmpty {
            // A file that is there and cannot be used was found already.
            let isMissing = UnixFile(at: file, followsLink: false) == nil
            let why =
                isMissing
                ? keyFileTrouble(account, ledgerIsEmpty: false)
                : KeyFit(of: file, to: secrets) == .wrong ? "\(file) belongs to another ledger" : nil
            if let why { findings.append(finding(.keyFile, at: "store.key_file", why)) }
        } else if !found.isDeclaredNew {
            findings += emptyFindings(at: "store.postgresql", "the ledger \(fixed.store.name) is empty", now)
        }
        return findings
    }

    // MARK: The key file

    /// systemd hands it over when the daemon starts.
    private var keyIsCredential: Bool { fixed.store.keyFile.hasPrefix("/run/credentials/") }

    /// - Parameter ledgerIsEmpty: it has no secrets that only a lost key opens.
    private func keyFileTrouble(_ account: UnixAccount, ledgerIsEmpty: Bool) -> String? {
        let path = fixed.store.keyFile
        guard let file = UnixFile(at: path, followsLink: false) else {
            if keyIsCredential { return nil }
            guard ledgerIsEmpty else {
                return "\(path) is missing, but the ledger exists and has secrets that only it opens; restore it"
            }
            return Self.trouble(inFolderOf: path, account)
        }
        guard file.kind != .link else { return "\(path) is a symbolic link, which is not followed" }
        guard file.kind == .file else { return "\(path) is not a regular file" }
        guard file.size == Int64(SecretVault.secretLength) else {
            return "\(path) does not hold \(SecretVault.secretLength) bytes"
        }
        if keyIsCredential { return nil }
        guard file.permissions.mode & 0o077 == 0 else { return "\(path) can be read by others; its mode must be 0600" }
        return file.permissions.allow(.read, to: account) ? nil : "\(account.words) may not read \(path)"
    }
}

/// The process that has a ledger in use, which is the running daemon, as the lock beside the ledger tells. The lock is looked at
/// and not taken: a daemon that starts meanwhile finds it free.
struct LedgerOwner: Hashable, Sendable {
    let process: Int32

    /// `nil` where no process is known to have it.
    init?(of ledger: String) {
        let lock = LedgerFile.Side.lock.path(of: ledger)
        var status = stat()
        guard stat(lock, &status) == 0, let locks = ProcFile.text("/proc/locks") else { return nil }
        let device = Self.device(UInt64(truncatingIfNeeded: status.st_dev))
        let inode = UInt64(truncatingIfNeeded: status.st_ino)
        let named = ProcFile.text(lock).flatMap { Int32($0.prefix { $0 != "\n" }) }
        // "1: FLOCK  ADVISORY  WRITE 4711 fd:01:131 0 EOF"
        for line in locks.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0 else { continue }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, UInt64(place[2]) == inode else { continue }
            // Layered file systems tell another device than `stat` does; then the number in the file is what is left.
            guard place[0] + ":" + place[1] == device || process == named else { continue }
            self.process = process
            return
        }
        return nil
    }

    /// Whether one of these sockets is the process's; `nil` where this process may not know.
    func has(oneOf sockets: [ListeningSocket]) -> Bool? {
        ProcFile.sockets(of: process).map { own in sockets.contains { own.contains($0.inode) } }
    }

    /// The two numbers of a device, as `/proc/locks` writes them (`sys/sysmacros.h`).
    private static func device(_ number: UInt64) -> String {
        let major = (number >> 8 & 0xFFF) | (number >> 32 & 0xFFFF_F000)
        let minor = (number & 0xFF) | (number >> 12 & 0xFFFF_FF00)
        func hex(_ number: UInt64) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }
        return hex(major) + ":" + hex(minor)
    }
}
