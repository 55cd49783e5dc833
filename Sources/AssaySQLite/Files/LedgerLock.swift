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
    private let identity: FileIdentity
    private let mark: LedgerMark
    /// `nil` once it is released.
    private let file: Mutex<Int32?>
    private static let owned = Mutex<Set<FileIdentity>>([])

    /// Takes the lock, and creates the ledger's file if there is none and it may. Throws at once, and names the owner where it can,
    /// if another process or another ledger of this one has it.
    init(of ledger: String, mayCreate: Bool) throws(LedgerError) {
        if let found = FileIdentity.look(at: ledger)?.identity, Self.isOwned(found) {
            throw LedgerMark.inUse(LedgerFile.resolved(ledger), by: LedgerMark.words(of: getpid()))
        }
        let file = try LedgerFile.open(ledger, mayCreate: mayCreate)
        do throws(LedgerError) {
            mark = try LedgerMark(beside: ledger)
            try Self.lock(file, of: ledger)
            guard let found = FileIdentity.look(at: file), found == FileIdentity.look(at: ledger)?.identity else {
                throw .unavailable("\(ledger) was removed or exchanged just now; try again")
            }
            identity = found
        } catch {
            close(file)
            throw error
        }
        self.file = Mutex(file)
        Self.owned.withLock { _ = $0.insert(identity) }
    }

    deinit { release() }

    /// Only after the last connection to the ledger is closed. The second time does nothing.
    func release() {
        file.withLock { file in
            guard let open = file else { return }
            close(open)
            mark.release()
            Self.owned.withLock { _ = $0.remove(identity) }
            file = nil
        }
    }

    /// Whether this process owns the ledger in that file.
    static func isOwned(_ file: FileIdentity) -> Bool { owned.withLock { $0.contains(file) } }

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
                    throw LedgerMark.inUse(
                        LedgerFile.resolved(ledger),
                        by: "a process that has the same file under another name (a hard link, or a mount of the file alone)")
                case EINVAL, EOPNOTSUPP, ENOSYS: return
                case let code: throw .unavailable("\(ledger) cannot be locked: \(String(cString: strerror(code)))")
                }
            }
        #endif
    }
}
