import AssayCore
import AssaySQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
