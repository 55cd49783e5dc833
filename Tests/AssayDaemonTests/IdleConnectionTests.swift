import AssayAPI
import AssayClient
import AssayFramedRPC
import AssayListening
import AssayRPC
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Idle connections")
    struct IdleConnectionTests {
        /// The default of `limits.max_connections` allows this many and others.
        static let planned = 15_000
        /// The greatest cost of an idle connection, in bytes of the daemon's resident memory, in a debug build.
        static let memory = 32 << 10

        @Test("15,000 idle connections do not affect an honest caller, and cost little memory")
        func idle() async throws {
            let planned = try allowedConnections()
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let port = try #require(try daemon.address("tcp").split(separator: ":").last.flatMap { UInt16($0) })
            let honest = HonestCaller(home: home) { try await daemon.connect() }
            // The memory of the first requests does not count.
            let calm = try await honest.calm()
            let before = try residentBytes(daemon.child.pid)

            var sockets: [PlainSocket] = []
            while sockets.count < planned {
                // In groups, each served before the next one connects: the kernel's queue is limited.
                var group: [PlainSocket] = []
                for _ in 0..<min(250, planned - sockets.count) {
                    let socket = try #require(PlainSocket(port: port))
                    socket.say(PlainFrame.ping)
                    group.append(socket)
                }
                for socket in group { #expect(socket.hear(PlainFrame.pong.count) == PlainFrame.pong) }
                sockets += group
            }
            let client = try await daemon.connect()
            #expect(try await client.status(timeout: TestPhone.patience).traffic.connections == UInt32(planned + 1))
            await client.close()
            let each = (try residentBytes(daemon.child.pid) - before) / planned
            print("\(planned) idle connections take \(each) bytes of the daemon's memory each")
            #expect(each < Self.memory)
            try await honest.isServed(during: "\(planned) idle connections", calm: calm)

            // All of them are open.
            for socket in sockets { socket.say(PlainFrame.ping) }
            for socket in sockets { #expect(socket.hear(PlainFrame.pong.count) == PlainFrame.pong) }
            sockets = []
            #expect(await daemon.stop().status == 0)
        }

        /// As many as both processes may have open, up to the planned number.
        private func allowedConnections() throws -> Int {
            var limit = rlimit()
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            try #require(getrlimit(files, &limit) == 0)
            limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(Self.planned + 3000)))
            try #require(setrlimit(files, &limit) == 0)
            // The rest is for other tests in this process, and for handshakes and the store in the daemon.
            let planned = min(Self.planned, Int(limit.rlim_cur) - 3000)
            if planned < Self.planned { print("only \(limit.rlim_cur) files may be open: \(planned) connections are tested") }
            try #require(planned > 0)
            return planned
        }

        private func residentBytes(_ pid: Int32) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1024
        }

        @Test("The limits for honest callers are the documented ones")
        func documented() throws {
            let page = try Package.text("docs/operate/load.md")
            let seconds = HonestCaller.bound.components.seconds
            #expect(page.contains("99 of 100 of the honest caller's requests are answered within \(seconds) s"))
            let limits = RPCLimits()
            #expect(limits.maxConnections > Self.planned)
            let thousands = { (number: Int) in "\(number / 1000),\(String(number % 1000 + 1000).dropFirst())" }
            #expect(page.contains("| \(thousands(Self.planned)) connections that say nothing |"))
            #expect(page.contains("lets in \(thousands(limits.maxConnections));"))
            #expect(page.contains("of more than \(limits.maxHandshakes) under way"))
        }

        @Test("The daemon raises the limit of open files itself, and reports if it cannot")
        func descriptors() async throws {
            let home = try TestHome()
            for (limit, isEnough) in [("-Sn 200", true), ("-n 2000", false)] {
                let daemon = try await TestDaemon(home, shell: "ulimit \(limit)")
                let limits = try String(contentsOfFile: "/proc/\(daemon.child.pid)/limits", encoding: .utf8)
                let open = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
                #expect(!open.contains(" 200 "), "\(open)")
                #expect(daemon.child.err.contains("RLIMIT_NOFILE") != isEnough)
                #expect(await daemon.stop().status == 0)
            }
        }
    }
}
