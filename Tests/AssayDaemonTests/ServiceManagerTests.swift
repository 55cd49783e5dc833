import AssayDaemon
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Service manager")
struct ServiceManagerTests {
    @Test("Datagrams report that the daemon is ready, what it does, and that it stops", arguments: [false, true])
    func told(_ isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let path = isAbstract ? "@assay-test-\(UInt64.random(in: 0..<(.max)))" : folder.file("notify")
        let socket = try #require(NotifySocket(path))
        let manager = ServiceManager(path: path)
        manager.ready("listens on unix:/x")
        #expect(socket.hear() == "READY=1\nSTATUS=listens on unix:/x")
        manager.status("refused: a\nb")
        #expect(socket.hear() == "STATUS=refused: a; b")
        manager.stopping()
        #expect(socket.hear() == "STOPPING=1\nSTATUS=stopping")
    }

    @Test("A missing or invalid address is ignored")
    func withoutManager() {
        for path in [nil, "", "relative", "/nonexistent/notify", "/" + String(repeating: "x", count: 200)] {
            ServiceManager(path: path).ready("x")
        }
    }
}

/// A datagram socket on which a test listens.
private final class NotifySocket {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8)
            if path.hasPrefix("@") { place[0] = 0 }
        }
        let length = socklen_t(2 + path.utf8.count)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { return nil }
    }

    deinit { close(descriptor) }

    func hear() -> String {
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
