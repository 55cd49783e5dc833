import AssayTesting
import Foundation

/// CPU time, user and system, that the kernel has charged to processes so far.
enum ProcessorTime {
    /// Of one process (clock_getcpuclockid(3)).
    static func seconds(of process: pid_t) throws -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Of all processes of a database server, those that have ended included.
    static func seconds(of server: PostgresServer) throws -> Double {
        guard let first = server.processID else { throw CocoaError(.fileReadUnknown) }
        // A process that ends in between would count twice or not at all: then it is read again.
        for _ in 0..<100 {
            let children = Set(try server.children())
            let ended = try secondsOfEndedChildren(of: first)
            let times = children.compactMap { try? seconds(of: $0) }
            guard times.count == children.count, try children == Set(server.children()) else { continue }
            return times.reduce(try seconds(of: first) + ended, +)
        }
        throw CocoaError(.fileReadUnknown)
    }

    /// `cutime` and `cstime` of proc_pid_stat(5), in ticks of 10 ms: of children that were waited for.
    private static func secondsOfEndedChildren(of process: pid_t) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The name in parentheses, the second field, may contain spaces.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ").dropFirst()
        let ended = fields.dropFirst(13).prefix(2).compactMap { Double($0) }
        guard ended.count == 2 else { throw CocoaError(.fileReadCorruptFile) }
        return (ended[0] + ended[1]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
