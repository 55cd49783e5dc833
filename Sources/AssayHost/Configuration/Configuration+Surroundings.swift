package import AssayCore
import AssayRPC
import AssaySQLite
import AssayService
import AssayVendors

extension Configuration {
    /// What this machine lacks for the configuration to work: folders, files, modes. Nothing is made or changed.
    ///
    /// - Parameters:
    ///   - account: as whom the daemon will run.
    ///   - now: files of revoked certificates are held against it.
    package func surroundings(
        as account: UnixAccount = .current, at now: Timestamp = SystemClock().now()
    ) -> [ConfigurationFinding] {
        (storeFindings(account) + socketFindings(account) + revocationFindings(account, now)).inOrder
    }

    // MARK: The ledger

    private func storeFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        if let why = Self.trouble(inFolderOf: store.path, account) {
            findings.append(finding(.ledgerFolder, at: "store.path", why))
        } else if let file = UnixFile(at: store.path) {
            if file.kind != .file {
                findings.append(finding(.ledgerFile, at: "store.path", "\(store.path) is not a regular file"))
            } else if !file.permissions.allow(.write, to: account) || !file.permissions.allow(.read, to: account) {
                findings.append(
                    finding(.ledgerFile, at: "store.path", "\(account.words) may not read and write the ledger \(store.path)"))
            } else if let (path, mode) = SQLiteLedger.wideFile(of: store.path) {
                findings.append(
                    finding(
                        .ledgerFile, at: "store.path",
                        "other users may use the ledger's file \(path) (mode 0\(String(mode, radix: 8))): chmod 600 it, after "
                            + "you know who has used it"))
            }
        } else if UnixFile(at: store.keyFile) != nil, !store.keyFile.hasPrefix("/run/credentials/"),
            keyFileTrouble(account) == nil
        {
            findings.append(
                finding(
                    .ledgerMissing, at: "store.path",
                    "there is no ledger \(store.path), but its key file \(store.keyFile) exists: restore the ledger, or, if it is "
                        + "to be a new one, run assayd new-ledger"))
        }
        if let why = keyFileTrouble(account) { findings.append(finding(.keyFile, at: "store.key_file", why)) }
        return findings
    }

    private func keyFileTrouble(_ account: UnixAccount) -> String? {
        let path = store.keyFile
        guard let file = UnixFile(at: path) else {
            // systemd hands it over when the daemon starts.
            if path.hasPrefix("/run/credentials/") { return nil }
            if let ledger = UnixFile(at: store.path), ledger.kind == .file, ledger.size > 0 {
                return "\(path) is missing, but the ledger exists and has secrets that only it opens; restore it"
            }
            return Self.trouble(inFolderOf: path, account)
        }
        guard file.kind == .file else { return "\(path) is not a regular file" }
        guard file.size == Int64(SecretVault.secretLength) else {
            return "\(path) does not hold \(SecretVault.secretLength) bytes"
        }
        if path.hasPrefix("/run/credentials/") { return nil }
        guard file.permissions.mode & 0o077 == 0 else { return "\(path) can be read by others; its mode must be 0600" }
        return file.permissions.allow(.read, to: account) ? nil : "\(account.words) may not read \(path)"
    }

    // MARK: Sockets

    private func socketFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        for (index, address) in listen.enumerated() {
            guard case .unix(let path, let mode) = address else { continue }
            let place = "listen[\(index)].unix"
            if let why = Self.trouble(inFolderOf: path, account) {
                findings.append(finding(.socketFolder, at: place, why))
            } else if let file = UnixFile(at: path), file.kind != .socket {
                findings.append(finding(.socketFile, at: place, "\(path) is no socket, and the daemon does not remove it"))
            }
            let out = callers.unixUsers.filter { !mayConnect($0.userID, to: path, mode, account) }
            guard !out.isEmpty else { continue }
            let names = out.map { "\($0.caller) (\(Self.words(forUser: $0.userID)))" }.joined(separator: ", ")
            let digits = String(mode, radix: 8)
            let octal = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            findings.append(
                finding(
                    .socketMode, at: place,
                    "\(names) may call, but not connect: the socket belongs to \(account.words) and its mode is \(octal); set "
                        + "\"mode: 0660\" and make them members of its group"))
        }
        return findings
    }

    /// Whether the kernel lets a user connect: the socket must be writable. Where it depends on groups that this machine does
    /// not know, it does.
    private func mayConnect(_ user: UInt32, to path: String, _ mode: UInt16, _ account: UnixAccount) -> Bool {
        let socket = UnixPermissions(owner: account.userID, group: account.groups.first ?? 0, mode: UInt32(mode))
        let folder = UnixFile(at: ProtectedFile.folder(of: path))?.permissions
        guard let caller = UnixAccount(userID: user) else {
            return user == account.userID || user == 0 || mode & 0o022 != 0
        }
        return socket.allow(.write, to: caller) && folder?.allow(.search, to: caller) != false
    }

    // MARK: Lists of revoked certificates

    private func revocationFindings(_ account: UnixAccount, _ now: Timestamp) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        for list in revocationFiles {
            let place = "apps.\(list.app.text).android.revocation.file"
            if let why = list.file.knowledge(at: now).unavailable {
                findings.append(
                    finding(.revocationFile, at: place, "\(why); until then the app gives no verdicts on Android devices"))
            }
            let odd = list.file.snapshot.oddEntries
            if odd != .none {
                let example = odd.example.isEmpty ? "" : ", such as \"\(odd.example)\""
                findings.append(
                    finding(
                        .revocationEntries, at: place,
                        "of the list's entries \(odd.unreadable) cannot be read\(example), and \(odd.unknownStatus) have an unknown "
                            + "status; the rest is used"))
            }
        }
        let copy = attestationStatus
        if copy.isWanted, let file = copy.file, let why = Self.trouble(inFolderOf: file, account) {
            findings.append(
                finding(
                    .revocationCopy, at: "feeds.google_attestation_status.file",
                    "\(why); the list is not kept, and each restart needs the network"))
        }
        return findings
    }

    // MARK: Words

    /// Why a file cannot be made in the folder of `path`; `nil` if it can.
    private static func trouble(inFolderOf path: String, _ account: UnixAccount) -> String? {
        let folder = ProtectedFile.folder(of: path)
        guard let found = UnixFile(at: folder) else { return "the folder \(folder) does not exist" }
        guard found.kind == .folder else { return "\(folder) is not a folder" }
        guard !found.isReadOnly else { return "the file system of the folder \(folder) is read-only" }
        guard found.permissions.allow(.write, to: account), found.permissions.allow(.search, to: account) else {
            return "\(account.words) may not write into the folder \(folder)"
        }
        return nil
    }

    private static func words(forUser userID: UInt32) -> String {
        (UnixAccount(userID: userID) ?? .init(userID: userID, groups: [])).words
    }
}

extension UnixAccount {
    fileprivate var words: String {
        name.map { "the user \($0)" } ?? UnixAccount(userID: userID)?.name.map { "the user \($0)" } ?? "the user \(userID)"
    }
}
