import AssayCore
import AssaySchemes
import Dispatch
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What check-config says of addresses, against sockets that listen.
@Suite("Findings about addresses")
struct AddressFindingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ listen: String, as account: UnixAccount = .current) throws -> ConfigurationCheck {
        let text = """
            listen: [\(listen)]
            store: {path: ledger.db}
            callers: {i_accept_unauthenticated_callers_from_the_network: true}
            apps:
              photos:
                app_attest:
                  identities: [{app_id: TEAMID1234.com.example.photos}]
            """
        return ConfigurationCheck(try folder.write(text, to: "assayd.yaml"), as: account)
    }

    private func codes(_ listen: String) throws -> [String] {
        try check(listen).findings.map(\.code.rawValue).filter { $0 != "unauthenticated_network" }
    }

    @Test("Two listeners at one place are found; a port of 0 is never the same place")
    func overlaps() throws {
        let port = try Socket().port
        func listen(_ hosts: String...) -> String { hosts.map { "{tcp: \"\($0):\(port)\"}" }.joined(separator: ", ") }
        #expect(try codes(listen("127.0.0.1")) == [])
        #expect(try codes(listen("127.0.0.1", "127.0.0.2")) == [])
        #expect(try codes("{tcp: \"127.0.0.1:0\"}, {tcp: \"0.0.0.0:0\"}") == [])
        for (first, second) in [("127.0.0.1", "127.1"), ("0.0.0.0", "127.0.0.1"), ("127.0.0.2", "0.0.0.0")] {
            #expect(try codes(listen(first, second)) == ["address_overlap"], "\(first) \(second)")
        }
        let found = try check(listen("0.0.0.0", "127.0.0.1")).findings.first { $0.code == .addressOverlap }
        #expect(found?.message == "tcp:127.0.0.1:\(port) and tcp:0.0.0.0:\(port) are one place: the second could not listen")
        #expect(found?.path == "listen[1].tcp" && found?.line == 1 && found?.severity == .failure)
    }

    @Test("An address of a group is found, to which no caller can connect")
    func groups() throws {
        for host in ["224.0.0.1", "239.255.255.250", "255.255.255.255", "[ff02::1]"] {
            let check = try check("{tcp: \"\(host):0\"}")
            let found = try #require(check.findings.first { $0.code == .addressNotLocal }, "\(host)")
            #expect(found.message.contains("is an address of a group") && !check.isGood)
        }
    }

    @Test("A socket that an earlier process left is found if the daemon's user may not replace it")
    func staleSocket() throws {
        let daemon = UnixAccount(userID: 4_000_000, groups: [4_000_000])
        func found() throws -> [String] {
            try check("{unix: run/a.sock, mode: 0666}", as: daemon).findings.filter { $0.code == .socketFile }.map(\.message)
        }
        func set(_ mode: Int, _ name: String) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file(name))
        }
        try FileManager.default.createDirectory(atPath: folder.file("run"), withIntermediateDirectories: false)
        let path = folder.file("run/a.sock")
        let owner = UnixAccount.current.words
        for (folderMode, socketMode, why) in [
            (0o777, 0o666, nil), (0o1777, 0o666, "may not replace it: the folder \(folder.file("run")) has the sticky bit"),
            (0o777, 0o600, "may not write to it"),
        ] as [(Int, Int, String?)] {
            try set(folderMode, "run")
            let socket = try Socket(unix: path)
            try set(socketMode, "run/a.sock")
            #expect(try found().isEmpty, "a socket that listens is another finding")
            socket.end()
            let messages = try found()
            #expect(messages.count == (why == nil ? 0 : 1), "\(messages)")
            let start = "\(path) is a socket of \(owner), and the user 4000000 \(why ?? "")"
            #expect(messages.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix("; remove it") }, "\(messages)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("The address :: includes every IPv4 address, and a mapped address is the one that it maps")
    func overlapsOfBoth() throws {
        func address(_ text: String) throws -> HostAddress {
            guard case .found(let address) = HostLookup.system(text, numericOnly: true) else {
                throw CocoaError(.formatting)
            }
            return address
        }
        for (a, b, want) in [
            ("::", "127.0.0.1", true), ("::", "0.0.0.0", true), ("::", "::1", true), ("0.0.0.0", "::1", false),
            ("127.0.0.1", "::1", false), ("::ffff:127.0.0.1", "127.0.0.1", true), ("::1", "0:0::1", true),
        ] {
            #expect(try address(a).overlaps(try address(b)) == want, "\(a) \(b)")
            #expect(try address(b).overlaps(try address(a)) == want, "\(b) \(a)")
        }
    }

    @Test("Unknown hosts and addresses of other machines are found, in bounded time")
    func hosts() throws {
        #expect(try codes("{tcp: \"\(BrokenConfigurationTests.unknownHost):0\"}") == ["address_unresolved"])
        #expect(try codes("{tcp: \"192.0.2.1:0\"}") == ["address_not_local"])
        // The system's resolver has a meaning for it, and so has the daemon.
        #if canImport(Glibc)
            // Which the daemon would be bound to.
            #expect(
                HostLookup.system("*") == HostAddress(bytes: [127, 0, 0, 1]).map { .found($0) }
                    || HostLookup.system("*") == HostLookup.system("::1"))
        #endif
        let silent = DispatchSemaphore(value: 0)
        defer { silent.signal() }
        let started = ContinuousClock.now
        let answers = HostLookup.all(["slow.example", "127.0.0.1"], within: 100) { _ in
            silent.wait()
            return .unknown("late")
        }
        #expect(answers["slow.example"] == .unanswered && ContinuousClock.now - started < .seconds(60))
        #expect(answers["127.0.0.1"] == HostAddress(bytes: [127, 0, 0, 1]).map { .found($0) })
        let configuration = try #require(try check("{tcp: \"slow.example:0\"}, {tcp: \"127.0.0.1:0\"}").configuration)
        let findings = configuration.addressFindings(.current) {
            Dictionary(uniqueKeysWithValues: $0.map { ($0, answers[$0] ?? .unanswered) })
        }
        #expect(findings.map(\.code) == [.addressUnresolved])
        #expect(findings.first?.message.contains("want a numeric address") == true)
    }

    @Test("An address that a process listens at already is found without disturbing the process")
    func inUse() throws {
        let socket = try Socket(listens: true)
        for host in ["127.0.0.1", "0.0.0.0"] {
            let check = try check("{tcp: \"\(host):\(socket.port)\"}")
            let found = check.findings.first { $0.code == .addressInUse }
            #expect(found?.message == "a process listens at tcp:\(host):\(socket.port) already: the daemon could not")
            #expect(found?.severity == .failure && !check.isGood && check.exitStatus == 0)
        }
        #expect(!socket.hasCaller, "no connection was made")
        let path = folder.file("a.sock")
        let file = try Socket(unix: path)
        #expect(try codes("{unix: a.sock}") == ["address_in_use"])
        #expect(!file.hasCaller)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("An address of the running daemon of this ledger is good, with a note")
    func running() throws {
        let lock = open(folder.file("ledger.db.lock"), O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        let text = "\(getpid())\n"
        #expect(write(lock, text, text.utf8.count) > 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        let (socket, file) = (try Socket(listens: true), try Socket(unix: folder.file("a.sock")))
        let check = try check("{tcp: \"127.0.0.1:\(socket.port)\"}, {unix: a.sock}")
        let found = check.findings.filter { $0.code != .unauthenticatedNetwork }
        #expect(found.map(\.code) == [.daemonRunning] && check.isGood, "\(check.lines)")
        #expect(
            found.first?.message.hasPrefix(
                "a daemon runs with this ledger (process \(getpid())) and listens at tcp:127.0.0.1:\(socket.port), unix:")
                == true)
        #expect(!socket.hasCaller && !file.hasCaller)
        let owner = try #require(LedgerOwner(of: folder.file("ledger.db")))
        #expect(owner.process == getpid())
        #expect(owner.has(oneOf: [ListeningSocket(place: .file("/nowhere"), inode: 0)]) == false, "another's socket")
        #expect(flock(lock, LOCK_UN) == 0)
        #expect(LedgerOwner(of: folder.file("ledger.db")) == nil, "the number alone says nothing")
        #expect(try codes("{tcp: \"127.0.0.1:\(socket.port)\"}") == ["address_in_use"])
    }

    @Test("The check leaves nothing at a free port")
    func traces() throws {
        let port = try Socket().port
        #expect(try codes("{tcp: \"127.0.0.1:\(port)\"}, {tcp: \"127.0.0.2:\(port)\"}") == [])
        // Without SO_REUSEADDR: whatever were left would be in the way.
        #expect(try Socket(port: port, listens: true).port == port)
    }

    @Test("A privileged port is a warning for a user without the right to it")
    func lowPorts() throws {
        let start = try String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8)
        let stranger = UnixAccount(userID: 4_000_000, groups: [4_000_000])
        let found = try check("{tcp: \"127.0.0.1:79\"}", as: stranger).findings.map(\.code)
        let isLow = (Int(start.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 1024) > 79
        #expect(found.contains(.privilegedPort) == isLow)
        #expect(try !check("{tcp: \"127.0.0.1:0\"}", as: stranger).findings.contains { $0.code == .privilegedPort })
    }

    @Test("The kernel's lists of sockets are read")
    func lists() throws {
        let tcp = """
               0: 0100007F:1CFD 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0
               1: 0100007F:1CFE 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0 100 0 0 10 0
               2: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 4713 1 0
               3: broken
            """
        // The numbers are those of a little-endian machine.
        try #require(UInt16(1).littleEndian == 1)
        let loopback = try #require(HostAddress(bytes: [127, 0, 0, 1]))
        let six = try #require(HostAddress(bytes: [UInt8](repeating: 0, count: 15) + [1]))
        #expect(
            ListeningSocket.tcp(tcp.split(separator: "\n")) == [
                ListeningSocket(place: .port(loopback, 0x1CFD), inode: 4711),
                ListeningSocket(place: .port(six, 80), inode: 4713),
            ])
        let unix = """
            0000000000000000: 00000002 00000000 00010000 0001 01 23 /run/a b.sock
            0000000000000000: 00000003 00000000 00000000 0001 03 24 /run/a.sock
            0000000000000000: 00000002 00000000 00010000 0001 01 25
            """
        #expect(
            ListeningSocket.unix(unix.split(separator: "\n")) == [
                ListeningSocket(place: .file("/run/a b.sock"), inode: 23)
            ])
    }
}

/// A socket of the test's own, closed with the object.
private final class Socket {
    private var descriptor: Int32
    private(set) var port = 0

    /// - Parameter port: 0 lets the system choose.
    init(port: Int = 0, listens: Bool = false) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try Self.check(
            Self.with(&address) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) })
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try Self.check(
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            })
        self.port = Int(UInt16(bigEndian: address.sin_port))
        if listens { try Self.check(listen(descriptor, 8)) }
    }

    init(unix path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try Self.check(
            Self.with(&address) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) })
        try Self.check(listen(descriptor, 8))
    }

    deinit { close(descriptor) }

    /// Stops listening; the file of a Unix socket stays.
    func end() {
        close(descriptor)
        descriptor = -1
    }

    /// Whether a connection was made.
    var hasCaller: Bool {
        let caller = accept(descriptor, nil, nil)
        if caller >= 0 { close(caller) }
        return caller >= 0
    }

    private static func check(_ status: Int32) throws {
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    private static func with<Address>(_ address: inout Address, _ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }
}
