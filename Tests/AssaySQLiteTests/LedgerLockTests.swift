import AssayCore
import Foundation
import Synchronization
import Testing

@testable import AssaySQLite

@Suite("Owner of a ledger", .timeLimit(.minutes(30)))
struct LedgerLockTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func complaint(_ name: String = "ledger.db") -> String? {
        do throws(LedgerError) {
            try SQLiteLedger.open(path: directory.path(name)).close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("is one: a second open is refused with the process id, and the first goes on")
    func second() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        let told = try #require(complaint())
        #expect(told.contains("\(directory.path()) is in use by process \(getpid()) ("), "\(told)")
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path("ledger.db.lock"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("is found by every name of the file")
    func link() throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link.db"), withDestinationPath: directory.path())
        #expect { try SQLiteLedger.open(path: directory.path("link.db")) } throws: { "\($0)".contains("is in use by") }
    }

    @Test("is refused to a file with two names: each would have a log and a lock of its own")
    func hardLinks() throws {
        try SQLiteLedger.open(path: directory.path()).close()
        try FileManager.default.linkItem(atPath: directory.path(), toPath: directory.path("other.db"))
        #expect(try #require(complaint()).contains("has 2 names (hard links)"))
        try FileManager.default.removeItem(atPath: directory.path("other.db"))
        #expect(complaint() == nil)
    }

    @Test("A ledger is opened again although a child of this process holds its lock for a moment")
    func copiedDescriptor() throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        // Like a child that has not executed its program: the same open file descriptions, by other descriptors.
        let (copies, held) = (Self.copies(of: directory.path()), ContinuousClock.now)
        try #require(copies.count >= 2)
        ledger.close()
        // A thread of its own: tasks of other tests may keep the executor busy for longer than the opening waits.
        Thread.detachNewThread {
            usleep(100_000)
            for copy in copies { close(copy) }
        }
        #expect(complaint() == nil)
        #expect(held.duration(to: .now) >= .milliseconds(100))
    }

    /// Copies of this process's descriptors of the ledger and its mark.
    private static func copies(of ledger: String) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { name in
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name),
                target == ledger || target == ledger + ".lock", let descriptor = Int32(name)
            else { return nil }
            let copy = dup(descriptor)
            return copy >= 0 ? copy : nil
        }
    }

    @Test("stays with the file when others of this process are turned away: SQLite's locks too")
    func locksStay() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
        // Another open file description asks the kernel. It is closed at the end: that drops SQLite's locks.
        let descriptor = open(directory.path(), O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        /// What would keep a writer from a byte, as fcntl(2) has it: of an open file description -1, of a process its id; `nil` if nothing.
        func holder(of byte: off_t) -> pid_t? {
            var lock = flock()
            (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), byte, 1)
            let getLock: Int32 = 36  // F_OFD_GETLK
            guard fcntl(descriptor, getLock, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
            return lock.l_pid
        }
        func expectLocks(sourceLocation: SourceLocation = #_sourceLocation) {
            #if os(Linux)
                #expect(holder(of: 0x4000_1000) == -1, sourceLocation: sourceLocation)
                // The first byte of those that a reader of the database locks.
                #expect(holder(of: 0x4000_0002) == getpid(), sourceLocation: sourceLocation)
                #expect(holder(of: 0x4000_0000) == nil, sourceLocation: sourceLocation)
            #endif
        }
        expectLocks()
        try FileManager.default.linkItem(atPath: directory.path(), toPath: directory.path("other.db"))
        for name in ["ledger.db", "other.db"] {
            #expect { try SQLiteLedger.open(path: directory.path(name)) } throws: {
                "\($0)".contains("is in use by process \(getpid()) (")
            }
            #expect(LedgerContent(of: directory.path(name)) == nil, "not read by its owner")
        }
        try FileManager.default.removeItem(atPath: directory.path("other.db"))
        expectLocks()
        #expect(try await ledger.commit([try Sample.entry()]) == [.committed])
    }

    @Test("lies beside the file that a link to nothing makes")
    func danglingLink() throws {
        try FileManager.default.createDirectory(atPath: directory.path("there"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link.db"), withDestinationPath: "there/real.db")
        let ledger = try SQLiteLedger.open(path: directory.path("link.db"))
        defer { ledger.close() }
        #expect(FileManager.default.fileExists(atPath: directory.path("there/real.db.lock")))
        #expect(!FileManager.default.fileExists(atPath: directory.path("link.db.lock")))
        #expect { try SQLiteLedger.open(path: directory.path("there/real.db")) } throws: { "\($0)".contains("is in use by") }
    }

    @Test(
        "and the log are regular files: links and folders at their names are refused in plain words",
        arguments: LedgerFile.Side.allCases)
    func odd(_ side: LedgerFile.Side) throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let path = directory.path() + side.rawValue
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path("elsewhere"))
        #expect(complaint() == "the ledger is unavailable: \(path) is a symbolic link, which is not followed")
        #expect(!FileManager.default.fileExists(atPath: directory.path("elsewhere")))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(complaint() == "the ledger is unavailable: \(path) is not a regular file")
        try FileManager.default.removeItem(atPath: path)
        #expect(complaint() == nil)
    }

    @Test("is not given up while a connection reads")
    func reading() throws {
        try SQLiteLedger.open(path: directory.path()).close()
        let pool = ReaderPool(path: directory.path(), options: LedgerOptions(), health: LedgerHealth { _ in })
        let begun = DispatchSemaphore(value: 0)
        let ended = Atomic(false)
        let thread = Thread {
            try? pool.read { _ throws(SQLiteError) in
                begun.signal()
                usleep(200_000)
                ended.store(true, ordering: .sequentiallyConsistent)
            }
        }
        thread.start()
        begun.wait()
        pool.close()
        let hasEnded = ended.load(ordering: .sequentiallyConsistent)
        #expect(hasEnded)
    }

    @Test("gives it up when it closes, again and again")
    func closed() throws {
        for _ in 0..<3 { try SQLiteLedger.open(path: directory.path()).close() }
        #expect(complaint() == nil)
    }

    @Test("gives it up when it does not get far")
    func failed() throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: directory.path()))
        for _ in 0..<2 { #expect(try #require(complaint()).contains("damaged")) }
    }

    @Test("is named while it lives and forgotten when it is killed, and keeps others out under every name of the file")
    func killed() async throws {
        let child = Process()
        child.executableURL = try DurabilityTests.child()
        child.arguments = [directory.path()]
        let pipe = Pipe()
        child.standardOutput = pipe
        try child.run()
        defer { kill(child.processIdentifier, SIGKILL) }
        // It has the ledger by the time it says something.
        _ = pipe.fileHandleForReading.availableData
        let told = try #require(complaint())
        #expect(told.contains("process \(child.processIdentifier) (") && told.contains("ledger-crash-child"), "\(told)")
        // Under another name the ledger has another `.lock`.
        try FileManager.default.linkItem(atPath: directory.path(), toPath: directory.path("other.db"))
        let other = complaint("other.db")
        #expect(
            other?.contains("other.db is in use by a process that has the same file under another name") == true,
            "\(other ?? "")")
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        #expect(complaint("other.db")?.contains("has 2 names (hard links)") == true)
        try FileManager.default.removeItem(atPath: directory.path("other.db"))
        #expect(complaint() == nil)
    }

    @Test("is not needed for reading the audit log")
    func looking() async throws {
        let ledger = try SQLiteLedger.open(path: directory.path())
        defer { ledger.close() }
        _ = try await ledger.commit([try Sample.entry()])
        #expect(try AuditWalk.isUnbroken(directory.path()))
    }

    @Test("is not looked for where there is no ledger and none may be made")
    func missing() throws {
        var options = LedgerOptions()
        options.mayCreate = false
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(path: directory.path(), options: options) }
        for suffix in ["", ".lock"] { #expect(!FileManager.default.fileExists(atPath: directory.path() + suffix)) }
    }
}
