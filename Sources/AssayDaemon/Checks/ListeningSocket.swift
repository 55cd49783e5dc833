import AssayConfiguration
import AssayCore

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
