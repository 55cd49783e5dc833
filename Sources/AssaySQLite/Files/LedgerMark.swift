package import AssayCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file beside a daemon's own files with a flock(2), the holder's process id, and a random name of the file. The lock goes with the
/// process, however that ends; the file stays, since removing it would let two hold it.
package final class LedgerMark: Sendable {
    private let descriptor: Mutex<Int32>
    /// 32 hexadecimal digits, the same for all who take this mark one after the other.
    package let name: String

    /// Takes the mark beside a path. Throws at once, and names the holder where it can, if another process has it.
    package init(beside path: String) throws(LedgerError) {
        let descriptor = try Self.take(beside: path)
        name = Self.name(in: descriptor) ?? Hex.encode((0..<16).map { _ in UInt8.random(in: 0...(.max)) })
        Self.sign(descriptor, name)
        self.descriptor = Mutex(descriptor)
    }

    /// The name of the mark beside a path, whether a process holds it or not; `nil` if no mark can be read.
    package static func name(beside path: String) -> String? {
        let descriptor = open(LedgerFile.Side.lock.path(of: path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return name(in: descriptor)
    }

    /// Whether a process holds the mark beside a path.
    static func isHeld(beside path: String) -> Bool {
        let descriptor = open(LedgerFile.Side.lock.path(of: path), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    deinit { release() }

    /// The second time does nothing.
    package func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    static func inUse(_ ledger: String, by owner: String) -> LedgerError {
        .unavailable("\(ledger) is in use by \(owner); a ledger has one owner at a time")
    }

    /// Opens and locks the mark.
    private static func take(beside ledger: String) throws(LedgerError) -> Int32 {
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

    /// Writes the process id and the name. Without them the lock holds all the same; only its owner is not named.
    private static func sign(_ mark: Int32, _ name: String) {
        let text = Array("\(getpid())\n\(name)\n".utf8)
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
        lines(in: descriptor).first.flatMap { pid_t($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    private static func name(in descriptor: Int32) -> String? {
        lines(in: descriptor).dropFirst().first.flatMap { Hex.decode($0)?.count == 16 ? $0 : nil }
    }

    private static func lines(in descriptor: Int32) -> [String] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    static func words(of pid: Int32) -> String {
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
}

/// Waits for child processes of this process that have not executed their program yet. Until they do they have copies of all its
/// descriptors, and so hold locks that this process has released already.
struct CopiedDescriptors {
    private var waits = 0

    /// Waits 2 ms; false after half a second in all, which is longer than any start of a program takes.
    mutating func wait() -> Bool {
        waits += 1
        guard waits <= 250 else { return false }
        usleep(2000)
        return true
    }
}
