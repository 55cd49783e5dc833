package import AssayCore
import AssayLedger

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A note beside a ledger of which a file was removed or exchanged while a daemon had it open: the audit record that was committed last. It outlasts
/// the daemon, so that a start on another copy is refused as the running daemon refused it.
package struct ReplacementNote: Sendable {
    private static let size = 8 + 32

    /// Beside the file that symbolic links lead to.
    package let path: String

    package init(beside ledger: String) { path = LedgerFile.resolved(ledger) + ".replaced" }

    /// The record; `nil` where no file was removed or exchanged.
    package var chain: AuditChain? {
        RecordFile.read(path, size: Self.size).map { record in
            AuditChain(number: Int64(bitPattern: BigEndian.number(record[..<8])), head: Array(record[8...]))
        }
    }

    /// Keeps the record. What cannot be kept is not known at the next start, which changes nothing now.
    func write(_ chain: AuditChain) {
        do throws(LedgerError) {
            let file = try RecordFile(path: path, size: Self.size)
            _ = file.write(BigEndian.bytes(UInt64(bitPattern: chain.number)) + chain.head)
            file.close()
        } catch {}
    }

    package func remove() { unlink(path) }
}
