import Foundation
import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("Backlog", .timeLimit(.minutes(30)))
struct BacklogTests {
    @Test("the backlog of a Unix socket is that of a TCP socket: 1,024, or what the kernel allows")
    func unix() async throws {
        let file = try String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
        let allowed = try #require(Int(file.trimmingCharacters(in: .whitespacesAndNewlines)))
        let wanted = min(Int(Listener.backlog), allowed)
        try #require(wanted > 128, "net.core.somaxconn is too low for this test")
        try raiseDescriptorLimit(to: wanted + 1000)
        let path = socketPath()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let register = ConnectionRegister(ConnectionLimits(), logger: .silent)
        let listener = try await Listener.open(.unix(path: path), group, register, nil, EchoProtocol(register: register))
        // The only loop is busy, so that nothing is accepted.
        let (busy, isBusy) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        group.next().execute {
            isBusy.signal()
            busy.wait()
        }
        isBusy.wait()
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        while sockets.count < wanted + 100, let socket = connection(to: path) { sockets.append(socket) }
        busy.signal()
        // The kernel takes one more than it is told.
        #expect(sockets.count == wanted + 1)
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        await listener.close()
        await register.empty()
        try await group.shutdownGracefully()
    }

    private func raiseDescriptorLimit(to count: Int) throws {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        try #require(getrlimit(files, &limit) == 0)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(count)))
        try #require(setrlimit(files, &limit) == 0)
        try #require(limit.rlim_cur >= rlim_t(count), "too few files may be open for this test")
    }

    /// A connection that the server need not accept; nil if the kernel keeps no more.
    private func connection(to path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
