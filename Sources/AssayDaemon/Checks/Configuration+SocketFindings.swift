import AssayAPI
import AssayConfiguration
import AssayCore
import AssayFiles
import AssayRPC
import AssaySchemes
import AssayService

extension Configuration {
    /// What keeps the daemon from making its Unix sockets, or callers from connecting to them.
    func socketFindings(_ account: UnixAccount) -> [ConfigurationFinding] {
        var findings: [ConfigurationFinding] = []
        for (place, address) in fixed.addresses {
            guard case .unix(let path, let mode) = address else { continue }
            if let why = Self.trouble(inFolderOf: path, account) {
                findings.append(finding(.socketFolder, at: place, why))
            } else if let file = UnixFile(at: path, followsLink: false),
                let why = Self.trouble(replacing: file, path, account)
            {
                findings.append(finding(.socketFile, at: place, why))
            }
            let digits = String(mode, radix: 8)
            let octal = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            let isOfOperations = fixed.operate.contains(address)
            let out = live.callers.unixUsers.filter { user in
                let isMeant = !isOfOperations || live.callers.caller(userID: user.userID)?.roles.contains(.observe) == true
                return isMeant && !mayConnect(user.userID, to: path, mode, account)
            }
            guard !out.isEmpty else {
                // Whether or not callers are named, as with loopback_demo.
                guard mode & 0o222 == 0 else { continue }
                findings.append(
                    finding(
                        .socketMode, at: place,
                        "the mode \(octal) lets no user connect but root: connecting needs the right to write; set \"mode: 0600\" for "
                            + "the daemon's own user, or \"mode: 0660\" for its group"))
                continue
            }
            let names = out.map { "\($0.caller) (\(Self.words(forUser: $0.userID)))" }.joined(separator: ", ")
            findings.append(
                finding(
                    .socketMode, at: place,
                    "\(names) may call, but not connect: the socket belongs to \(account.words) and its mode is \(octal); set "
                        + "\"mode: 0660\" and make them members of its group"))
        }
        return findings
    }

    /// Why the daemon cannot put its socket in the place of what lies there. A socket that an earlier process left it removes: it
    /// connects to it first, to learn that no process listens.
    private static func trouble(replacing file: UnixFile, _ path: String, _ account: UnixAccount) -> String? {
        guard file.kind == .socket else {
            return "\(path) is \(file.kind == .link ? "a symbolic link" : "no socket"), and the daemon does not remove it"
        }
        guard account.userID != 0 else { return nil }
        let (owner, folder) = (file.permissions.owner, ProtectedFile.folder(of: path))
        let why: String
        if !file.permissions.allow(.write, to: account) {
            why = "may not write to it, and so cannot tell whether a process listens at it"
        } else if owner != account.userID, let found = UnixFile(at: folder), found.isSticky,
            found.permissions.owner != account.userID
        {
            why = "may not replace it: the folder \(folder) has the sticky bit"
        } else {
            return nil
        }
        // Of a socket that is in use the addresses' findings tell more.
        let isInUse = ListeningSocket.all().contains { listening in
            if case .file(let other) = listening.place { isSame(other, path) } else { false }
        }
        guard !isInUse else { return nil }
        return "\(path) is a socket of \(words(forUser: owner)), and \(account.words) \(why); remove it"
    }

    /// Whether the kernel lets a user connect: the socket must be writable, and each folder on the way to it searchable.
    private func mayConnect(_ user: UInt32, to path: String, _ mode: UInt16, _ account: UnixAccount) -> Bool {
        let socket = UnixPermissions(owner: account.userID, group: account.groups.first ?? 0, mode: UInt32(mode))
        let folders = Self.folders(of: path).compactMap { UnixFile(at: $0)?.permissions }
        guard let caller = UnixAccount(userID: user) else {
            return socket.mayAllow(.write, toUser: user) && folders.allSatisfy { $0.mayAllow(.search, toUser: user) }
        }
        return socket.allow(.write, to: caller) && folders.allSatisfy { $0.allow(.search, to: caller) }
    }

    /// The folder of a file, and all that it lies in.
    static func folders(of path: String) -> [String] {
        var folders = [ProtectedFile.folder(of: path)]
        while let last = folders.last, last != "/", last.hasPrefix("/") { folders.append(ProtectedFile.folder(of: last)) }
        return folders
    }

    static func words(forUser userID: UInt32) -> String { UnixAccount(userID: userID, groups: []).words }
}

extension UnixPermissions {
    /// The same of a user whose groups this machine does not know: where it depends on them, it is allowed.
    fileprivate func mayAllow(_ right: Right, toUser user: UInt32) -> Bool {
        let stranger = UnixAccount(userID: user, groups: [])
        return allow(right, to: stranger) || (user != owner && allow(right, to: UnixAccount(userID: user, groups: [group])))
    }
}

/// A socket at which a process of this machine listens, as `/proc/net` lists it: no connection is made.
struct ListeningSocket: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        case port(HostAddress, Int)
        case file(String)
    }

    let place: Place
    /// The socket's own, by which `/proc/PID/fd` names it.
    let inode: UInt64

    /// All of this network namespace; none where there is no `/proc`.
    static func all() -> [ListeningSocket] {
        ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { tcp(lines(of: $0)) } + unix(lines(of: "/proc/net/unix"))
    }

    /// `sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode …`; the state 0A is LISTEN.
    static func tcp(_ lines: [Substring]) -> [ListeningSocket] {
        lines.compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", let inode = UInt64(fields[9]) else { return nil }
            let place = fields[1].split(separator: ":")
            guard place.count == 2, let port = Int(place[1], radix: 16), let words = Hex.decode(String(place[0])) else {
                return nil
            }
            // Words of 32 bits, each written as a number of this machine.
            let bytes = stride(from: 0, to: words.count, by: 4).flatMap { start -> [UInt8] in
                let word = words.dropFirst(start).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                return withUnsafeBytes(of: word) { Array($0) }
            }
            return HostAddress(bytes: bytes).map { ListeningSocket(place: .port($0, port), inode: inode) }
        }
    }

    /// `Num RefCount Protocol Flags Type St Inode Path`; the flag 00010000 says that the socket accepts connections.
    static func unix(_ lines: [Substring]) -> [ListeningSocket] {
        lines.compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 7)
            guard fields.count == 8, let flags = UInt32(fields[3], radix: 16), flags & 0x10000 != 0,
                let inode = UInt64(fields[6])
            else { return nil }
            return ListeningSocket(place: .file(String(fields[7])), inode: inode)
        }
    }

    private static func lines(of path: String) -> [Substring] {
        ProcFile.text(path)?.split(separator: "\n").dropFirst().map { $0 } ?? []
    }
}
