import AssayCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The mark of a ledger's one owner: an advisory lock on a file beside the ledger, which says who holds it. The lock goes with the
/// process, however that ends; the file stays, since removing it would let two hold it.
final class LedgerLock: Sendable {
    /// What the lock's file is called behind the ledger's name.
    static let suffix = ".lock"

    private let descriptor: Mutex<Int32?>

    /// Takes the lock. Throws at once, and names the owner, where another process or another ledger of this one has it.
    init(of ledger: String) throws(LedgerError) {
        let path = ledger + Self.suffix
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, LedgerFile.mode)
        guard descriptor >= 0 else { throw .unavailable("\(path): \(String(cString: strerror(errno)))") }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code != EINTR else { continue }
            let owner = code == EWOULDBLOCK ? Self.owner(in: descriptor) : nil
            close(descriptor)
            throw .unavailable(
                owner.map { "\(ledger) is in use by \($0); a ledger has one owner at a time" }
                    ?? "\(path): \(String(cString: strerror(code)))")
        }
        // A file that was removed since it was opened marks nothing: another process would make and lock a new one.
        guard FileIdentity.look(at: path)?.identity == FileIdentity.look(at: descriptor) else {
            close(descriptor)
            throw .unavailable("\(path) was removed or exchanged just now; try again")
        }
        Self.giveToOwner(of: ledger, descriptor)
        let text = Array("\(getpid())\n".utf8)
        // Without it the lock holds all the same; only its owner is not named.
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    /// The second time does nothing.
    func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    /// What root makes, the daemon's user could not open.
    private static func giveToOwner(of ledger: String, _ descriptor: Int32) {
        var status = stat()
        guard geteuid() == 0, stat(ledger, &status) == 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
    }

    /// `process 1234 (assayd --config …)`, as far as the file and the system tell.
    private static func owner(in descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        guard let pid = Int32(String(decoding: line, as: UTF8.self)), pid > 0 else { return "another process" }
        return "process \(pid)" + (command(of: pid).map { " (\($0))" } ?? "")
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
}
