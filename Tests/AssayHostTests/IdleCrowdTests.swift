import AssayAPI
import AssayClient
import AssayFramedRPC
import AssayRPC
import Foundation
import Testing

extension ProcessTests {
    @Suite("Idle crowd")
    struct IdleCrowdTests {
        /// What `limits.max_connections` lets in by default leaves room for this many and others.
        static let crowd = 15_000
        /// What an idle connection costs the daemon at most, in bytes of resident memory, in a debug build.
        static let memory = 32 << 10

        @Test("of 15,000 connections leaves an honest caller alone, and costs little memory")
        func idle() async throws {
            let crowd = try roomForCrowd()
            let home = try TestHome()
            let daemon = try await TestDaemon(home)
            let port = try #require(try daemon.address("tcp").split(separator: ":").last.flatMap { UInt16($0) })
            let honest = HonestCaller(home: home) { try await daemon.connect() }
            // What the first requests cost is not the crowd's.
            try await honest.isServed(during: "nobody else")
            let before = try residentBytes(daemon.child.pid)

            var sockets: [PlainSocket] = []
            while sockets.count < crowd {
                // In groups, each of which is served before the next one comes: the kernel keeps only so many waiting.
                var group: [PlainSocket] = []
                for _ in 0..<min(250, crowd - sockets.count) {
                    let socket = try #require(PlainSocket(port: port))
                    socket.say(PlainFrame.ping)
                    group.append(socket)
                }
                for socket in group { #expect(socket.hear(PlainFrame.pong.count) == PlainFrame.pong) }
                sockets += group
            }
            let client = try await daemon.connect()
            #expect(try await client.status(timeout: TestPhone.patience).traffic.connections == UInt32(crowd + 1))
            await client.close()
            let each = (try residentBytes(daemon.child.pid) - before) / crowd
            print("\(crowd) idle connections take \(each) bytes of the daemon's memory each")
            #expect(each < Self.memory)
            try await honest.isServed(during: "\(crowd) idle connections")

            // All of them live.
            for socket in sockets { socket.say(PlainFrame.ping) }
            for socket in sockets { #expect(socket.hear(PlainFrame.pong.count) == PlainFrame.pong) }
            sockets = []
            #expect(await daemon.stop().status == 0)
        }

        /// As many as both processes may have open, up to the crowd.
        private func roomForCrowd() throws -> Int {
            var limit = rlimit()
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            try #require(getrlimit(files, &limit) == 0)
            limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(Self.crowd + 3000)))
            try #require(setrlimit(files, &limit) == 0)
            // The rest is for other tests, here, and for handshakes and the store, there.
            let crowd = min(Self.crowd, Int(limit.rlim_cur) - 3000)
            if crowd < Self.crowd { print("only \(limit.rlim_cur) files may be open: the crowd is of \(crowd)") }
            try #require(crowd > 0)
            return crowd
        }

        private func residentBytes(_ pid: Int32) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
            return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1024
        }

        @Test("and the bound for honest callers are what the documentation says")
        func documented() throws {
            let page = try Package.text("docs/operations.md")
            let seconds = HonestCaller.bound.components.seconds
            #expect(page.contains("99 of 100 of the honest caller's requests are answered within \(seconds) s"))
            let limits = RPCLimits()
            #expect(limits.maxConnections > Self.crowd)
            let thousands = { (number: Int) in "\(number / 1000),\(String(number % 1000 + 1000).dropFirst())" }
            #expect(page.contains("| \(thousands(Self.crowd)) connections that say nothing |"))
            #expect(page.contains("lets in \(thousands(limits.maxConnections));"))
            #expect(page.contains("of more than \(limits.maxHandshakes) under way"))
        }

        @Test("does not need the shell's limit of open files to be raised, and says if it cannot be")
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
