package import AssaySQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A user of this machine with its groups: whom the kernel asks when a file is opened.
package struct UnixAccount: Hashable, Sendable {
    package let userID: UInt32
    /// The primary group, then the others.
    package let groups: [UInt32]
    /// `nil` where the machine has no name for the id.
    package let name: String?

    package init(userID: UInt32, groups: [UInt32], name: String? = nil) {
        (self.userID, self.groups, self.name) = (userID, groups, name)
    }

    /// The user of this process.
    package static var current: UnixAccount {
        var groups = [UInt32(getegid())]
        let count = getgroups(0, nil)
        if count > 0 {
            var more = [gid_t](repeating: 0, count: Int(count))
            let written = getgroups(count, &more)
            groups += more.prefix(Int(max(0, written))).map { UInt32($0) }.filter { !groups.contains($0) }
        }
        return UnixAccount(userID: UInt32(geteuid()), groups: groups, name: nil)
    }

    /// The user of that name; `nil` if this machine has none.
    package init?(named name: String) {
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        var found: UnixAccount?
        Self.withEntry({ getpwnam_r(name, $0, $1, $2, $3) }) { found = Self(entry: $0) }
        guard let found else { return nil }
        self = found
    }

    /// The user of that id; `nil` if this machine has no name for it.
    package init?(userID: UInt32) {
        var found: UnixAccount?
        Self.withEntry({ getpwuid_r(userID, $0, $1, $2, $3) }) { found = Self(entry: $0) }
        guard let found else { return nil }
        self = found
    }

    private init(entry: passwd) {
        let name = String(cString: entry.pw_name)
        var count: Int32 = 64
        var groups = [gid_t](repeating: 0, count: Int(count))
        if getgrouplist(name, entry.pw_gid, &groups, &count) < 0 {
            // The count says now how many there are.
            groups = [gid_t](repeating: 0, count: Int(min(max(count, 1), 65_536)))
            count = Int32(groups.count)
            if getgrouplist(name, entry.pw_gid, &groups, &count) < 0 { (groups, count) = ([entry.pw_gid], 1) }
        }
        self.init(userID: UInt32(entry.pw_uid), groups: groups.prefix(Int(count)).map { UInt32($0) }, name: name)
    }

    /// Entries of directories have a few hundred bytes; a buffer that is too small is said with ERANGE.
    private static func withEntry(
        _ look: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        )
            -> Int32, _ body: (passwd) -> Void
    ) {
        for size in [4096, 65_536, 1 << 20] {
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            let status = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> Int32 in
                guard let base = buffer.baseAddress else { return ENOMEM }
                let status = look(&entry, base, size, &result)
                // The entry points into the buffer.
                if status == 0, let found = result { body(found.pointee) }
                return status
            }
            if status != ERANGE { return }
        }
    }
}

/// What the mode of a file allows to a user. Access lists and capabilities other than root's are not looked at.
package struct UnixPermissions: Hashable, Sendable {
    package enum Right: UInt32, Sendable {
        case read = 4
        case write = 2
        case search = 1
    }

    package let owner: UInt32
    package let group: UInt32
    /// The nine bits for owner, group and others.
    package let mode: UInt32

    package init(owner: UInt32, group: UInt32, mode: UInt32) { (self.owner, self.group, self.mode) = (owner, group, mode) }

    /// Whether the file may hold a secret: no other user can use it, or it is root's and a group may read it, as secrets of systemd and
    /// Kubernetes are.
    package var keepSecrets: Bool { mode & 0o077 == 0 || owner == 0 && mode & 0o037 == 0 }

    /// As the kernel decides: the first of owner, group and others that fits counts.
    package func allow(_ right: Right, to account: UnixAccount) -> Bool {
        if account.userID == 0 { return true }
        if account.userID == owner { return mode >> 6 & right.rawValue != 0 }
        if account.groups.contains(group) { return mode >> 3 & right.rawValue != 0 }
        return mode & right.rawValue != 0
    }
}

/// What stands at a path.
package struct UnixFile: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case file, folder, socket, link, other }

    package let kind: Kind
    package let permissions: UnixPermissions
    /// In bytes.
    package let size: Int64
    /// The same for every name of the file.
    package let identity: FileIdentity
    /// Of a folder: whether only the owners of its files, and its own, may remove them (unlink(2)).
    package let isSticky: Bool
    /// Whether it cannot be written by anyone: its file system is read-only, or it is immutable (chattr(1)).
    package let isReadOnly: Bool

    /// - Parameter followsLink: whether it is what a symbolic link leads to. `nil` if there is nothing.
    package init?(at path: String, followsLink: Bool = true) {
        var status = stat()
        guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFSOCK: .socket
            case S_IFLNK: .link
            default: .other
            }
        permissions = UnixPermissions(
            owner: UInt32(status.st_uid), group: UInt32(status.st_gid), mode: UInt32(status.st_mode) & 0o777)
        size = Int64(status.st_size)
        identity = FileIdentity(status)
        isSticky = status.st_mode & S_ISVTX != 0
        var system = statvfs()
        isReadOnly =
            statvfs(path, &system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0
            || access(path, W_OK) != 0 && (errno == EPERM || errno == EROFS)
    }
}
