import CPluginProcess
import Glibc

/// The pipes and the socket pair between the daemon and a process that is being started. ``close()`` closes what was not taken.
struct LaunchPipes {
    /// The daemon's ends.
    private var socket: CInt = -1
    private var log: CInt = -1
    private var status: CInt = -1
    /// The plugin's: connection, log, status, and what it reads as its input.
    private var child: [CInt] = []

    init() throws(LaunchFailure) {
        do throws(LaunchFailure) {
            socket = try open(assay_socket_pair)
            log = try open(assay_log_pipe)
            status = try open(assay_log_pipe)
            let null = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard null >= 0 else { throw .system("/dev/null cannot be opened", errno) }
            child.append(null)
        } catch {
            close()
            throw error
        }
    }

    private mutating func open(_ make: (UnsafeMutablePointer<CInt>) -> CInt) throws(LaunchFailure) -> CInt {
        var ends: [CInt] = [-1, -1]
        let result = make(&ends)
        guard result >= 0 else {
            let error = errno
            for end in ends where end >= 0 { Glibc.close(end) }
            throw .system("a pipe to the plugin cannot be made", error)
        }
        child.append(ends[1])
        return ends[0]
    }

    /// What becomes the descriptors 0 to 5 of the launcher: closed, log, log, connection, status, executable.
    func childDescriptors(_ executable: CInt) -> [CInt] { [child[3], child[1], child[1], child[0], child[2], executable] }

    mutating func takeSocket() -> CInt { take(&socket) }
    mutating func takeLog() -> CInt { take(&log) }
    mutating func takeStatus() -> CInt { take(&status) }

    private func take(_ end: inout CInt) -> CInt {
        defer { end = -1 }
        return end
    }

    mutating func close() {
        for end in [socket, log, status] + child where end >= 0 { Glibc.close(end) }
        (socket, log, status, child) = (-1, -1, -1, [])
    }
}
