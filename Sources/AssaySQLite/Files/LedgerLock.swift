import AssayCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lock of a ledger's one owner, in two parts. Both go with the process, however that ends.
///
/// The *mark* is a file beside the ledger with a flock(2), which says who holds it. It stays when the owner goes, since removing it
/// would let two hold it.
///
/// The *ledger's own file* is locked too: under another name (a mount of the file alone, a hard link) it has another mark. The lock is
/// one of an open file description (fcntl(2), F_OFD_SETLK), on a byte that SQLite does not use. When a process closes any
/// descriptor of a file it loses its POSIX locks on it, which are SQLite's. So this one is opened before SQLite's and closed
/// after them, and no ledger that this process owns is opened past SQLite (`isOwned`).
final class LedgerLock: Sendable {
    private struct Descriptors {
        let mark: Int32
        let file: Int32
    }

    private let identity: FileIdentity
    private let descriptors: Mutex<Descriptors?>
    private static let owned = Mutex<Set<FileIdentity>>([])

    /// Takes the lock, and creates the ledger's file if there is none and it may. Throws at once, and names the owner where it can,
    /// if another process or another ledger of this one has it.
    init(of ledger: String, mayCreate: Bool) throws(LedgerError) {
        if let found = FileIdentity.look(at: ledger)?.identity, Self.isOwned(found) {
            throw Self.inUse(LedgerFile.resolved(ledger), by: Self.words(of: getpid()))
        }
        let file = try LedgerFile.open(ledger, mayCreate: mayCreate)
        var mark: Int32 = -1
        do throws(LedgerError) {
            mark = try Self.mark(beside: ledger)
            try Self.lock(file, of: ledger)
            guard let found = FileIdentity.look(at: file), found == FileIdentity.look(at: ledger)?.identity else {
                throw .unavailable("\(ledger) was removed or exchanged just now; try again")
            }
            identity = found
        } catch {
            close(file)
            if mark >= 0 { close(mark) }
            throw error
        }
        descriptors = Mutex(Descriptors(mark: mark, file: file))
        Self.sign(mark)
        Self.owned.withLock { _ = $0.insert(identity) }
    }

    deinit { release() }

    /// Only after the last connection to the ledger is closed. The second time does nothing.
    func release() {
        descriptors.withLock { descriptors in
            guard let open = descriptors else { return }
            close(open.file)
            close(open.mark)
            Self.owned.withLock { _ = $0.remove(identity) }
            descriptors = nil
        }
    }

    /// Whether this process owns the ledger in that file.
    static func isOwned(_ file: FileIdentity) -> Bool { owned.withLock { $0.contains(file) } }

    private static func inUse(_ ledger: String, by owner: String) -> LedgerError {
        .unavailable("\(ledger) is in use by \(owner); a ledger has one owner at a time")
    }

    // MARK: The mark

    /// Opens and locks the mark.
    private static func mark(beside ledger: String) throws(LedgerError) -> Int32 {
        let path = LedgerFile.Side.lock.path(of: ledger)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, LedgerFile.mode)
        guard descriptor >= 0 else { throw .unavailable("\(path): \(String(cString: strerror(errno)))") }
        do throws(LedgerError) {
            var copies = CopiedDescriptors()
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                let code = errno
                guard code != EINTR else { continue }
                // This process owned it before: a ledger that it owns now was refused by `isOwned`.
                if code == EWOULDBLOCK, process(in: descriptor) == getpid(), copies.wait() { continue }
                if code == EWOULDBLOCK { throw inUse(LedgerFile.resolved(ledger), by: owner(in: descriptor)) }
                throw .unavailable("\(path): \(String(cString: strerror(code)))")
            }
            // A file that was removed since it was opened marks nothing: another process would make and lock a new one.
            guard FileIdentity.look(at: path)?.identity == FileIdentity.look(at: descriptor) else {
                throw .unavailable("\(path) was removed or exchanged just now; try again")
            }
        } catch {
            close(descriptor)
            throw error
        }
        giveToOwner(of: ledger, descriptor)
        return descriptor
    }

    /// Writes the process id. Without it the lock holds all the same; only its owner is not named.
    private static func sign(_ mark: Int32) {
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(mark, 0) == 0 { _ = pwrite(mark, text, text.count, 0) }
    }

    /// What root makes, the daemon's user could not open.
    private static func giveToOwner(of ledger: String, _ descriptor: Int32) {
        var status = stat()
        guard geteuid() == 0, stat(ledger, &status) == 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
    }

    /// `process 1234 (assayd --config …)`, as far as the file and the system tell.
    private static func owner(in descriptor: Int32) -> String {
        process(in: descriptor).map(words) ?? "another process"
    }

    /// The process that signed the mark last.
    private static func process(in descriptor: Int32) -> pid_t? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return pid_t(String(decoding: line, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func words(of pid: Int32) -> String {
        "process \(pid)" + (command(of: pid).map { " (\($0))" } ?? "")
    }

    private static func command(of pid: Int32) -> String? {
        let descriptor = open("/proc/\(pid)/cmdline", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        // Words end with a zero byte; what is not plain text is not repeated.
        let text = bytes.prefix(count).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: " ") }
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    // MARK: The ledger's own file

    /// SQLite locks bytes 0x4000_0000 to 0x4000_01FF of the file (PENDING_BYTE and what follows).
    private static let byte: off_t = 0x4000_1000
    /// F_OFD_SETLK of Linux, which Glibc shows to _GNU_SOURCE only.
    private static let setLock: Int32 = 37

    /// Where the file system or the kernel knows no such locks, the mark alone has to do.
    private static func lock(_ file: Int32, of ledger: String) throws(LedgerError) {
        #if os(Linux)
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            (lock.l_start, lock.l_len) = (byte, 1)
            var copies = CopiedDescriptors()
            while fcntl(file, setLock, &lock) != 0 {
                switch errno {
                case EINTR: continue
                case EAGAIN, EACCES:
                    if copies.wait() { continue }
                    throw inUse(
                        LedgerFile.resolved(ledger),
                        by: "a process that has the same file under another name (a hard link, or a mount of the file alone)")
                case EINVAL, EOPNOTSUPP, ENOSYS: return
                case let code: throw .unavailable("\(ledger) cannot be locked: \(String(cString: strerror(code)))")
                }
            }
        #endif
    }
}

/// Waits for child processes of this process that have not executed their program yet. Until they do they have copies of all its
/// descriptors, and so hold locks that this process has released already.
private struct CopiedDescriptors {
    private var waits = 0

    /// Waits 2 ms; false after half a second in all, which is longer than any start of a program takes.
    mutating func wait() -> Bool {
        waits += 1
        guard waits <= 250 else { return false }
        usleep(2000)
        return true
    }
}
