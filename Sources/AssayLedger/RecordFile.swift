package import AssayCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file with one short record that is replaced often: in place and without a sync.
///
/// The end of the process at any instant loses no record that was written. When the machine loses its power, what the kernel has not written back yet is
/// lost, some tens of seconds of it, and an earlier record is read. Two places in sectors of their own are written in turn, each with a checksum, so
/// that one of them is whole at any instant.
package final class RecordFile: Sendable {
    private struct State {
        var descriptor: Int32
        var sequence: UInt64
        var record: [UInt8]?
    }

    private static let spacing = 512
    /// The sequence, and the checksum.
    private static let overhead = 16

    private let path: String
    private let size: Int
    private let state: Mutex<State>

    /// Opens the file, and makes it if there is none. Throws for one that has no whole record and is not empty.
    ///
    /// - Parameter size: that of a record, at most 496 bytes.
    package init(path: String, size: Int) throws(LedgerError) {
        (self.path, self.size) = (path, size)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unavailable("\(path): \(String(cString: strerror(errno)))") }
        let newest = Self.newest(in: descriptor, size)
        if newest == nil {
            do throws(LedgerError) { try Self.prepare(descriptor, path) } catch {
                Self.close(descriptor)
                throw error
            }
        }
        state = Mutex(State(descriptor: descriptor, sequence: newest?.sequence ?? 0, record: newest?.record))
    }

    deinit { close() }

    /// Makes room for records, which take no space afterwards.
    private static func prepare(_ descriptor: Int32, _ path: String) throws(LedgerError) {
        var bytes = [UInt8](repeating: 0, count: 2 * spacing)
        _ = pread(descriptor, &bytes, bytes.count, 0)
        guard bytes.allSatisfy({ $0 == 0 }) else {
            throw .unavailable(
                "\(path) is damaged: it says what was acknowledged, so that a ledger that went back is recognised. Run assayd forget-challenges, and "
                    + "remove the file")
        }
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fsync(descriptor) == 0 else {
            throw .unavailable("\(path): \(String(cString: strerror(errno)))")
        }
    }

    /// The record of a file, read without opening it for a daemon; `nil` also for a file that cannot be read.
    package static func read(_ path: String, size: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return newest(in: descriptor, size)?.record
    }

    /// The last record; `nil`: none was written.
    package var record: [UInt8]? { state.withLock { $0.record } }

    /// Replaces the record. Returns why that failed. After ``close()`` it does nothing.
    package func write(_ record: [UInt8]) -> String? {
        state.withLock { state in
            guard state.descriptor >= 0, state.record != record else { return nil }
            let sequence = state.sequence + 1
            let body = BigEndian.bytes(sequence) + record
            let bytes = body + BigEndian.bytes(Checksum.of(body))
            guard pwrite(state.descriptor, bytes, bytes.count, Self.offset(of: sequence)) == bytes.count else {
                return "\(path): \(String(cString: strerror(errno)))"
            }
            (state.sequence, state.record) = (sequence, record)
            return nil
        }
    }

    /// Writes the record to the disk, and closes the file. The second time does nothing.
    package func close() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            fsync(state.descriptor)
            Self.close(state.descriptor)
            state.descriptor = -1
        }
    }

    private static func newest(in descriptor: Int32, _ size: Int) -> (sequence: UInt64, record: [UInt8])? {
        var newest: (sequence: UInt64, record: [UInt8])?
        for place in 0..<UInt64(2) {
            var bytes = [UInt8](repeating: 0, count: size + overhead)
            guard pread(descriptor, &bytes, bytes.count, offset(of: place)) == bytes.count else { continue }
            let (body, sequence) = (Array(bytes.dropLast(8)), BigEndian.number(bytes[..<8]))
            guard sequence > newest?.sequence ?? 0, BigEndian.number(bytes.suffix(8)) == Checksum.of(body) else { continue }
            newest = (sequence, Array(body.dropFirst(8)))
        }
        return newest
    }

    private static func offset(of sequence: UInt64) -> off_t { off_t(Int(sequence % 2) * spacing) }

    private static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }
}

/// Numbers of 8 bytes in records.
package enum BigEndian {
    package static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }
    package static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

/// FNV-1a, 64 bits: tells a torn record from a whole one, and names apart.
package enum Checksum {
    package static func of(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
