import AssayTesting
import Foundation

/// A network namespace for a daemon. A pair of virtual interfaces joins it with the network of the database; nothing else is in it but its
/// own loopback interface. Unix sockets go through, because they are files.
struct NetworkNamespace: Sendable {
    private static let ip = "/usr/sbin/ip"
    private static let tc = "/usr/sbin/tc"

    /// Whether this process may make them.
    static let areAvailable: Bool = {
        guard geteuid() == 0, [ip, tc].allSatisfy(FileManager.default.isExecutableFile) else { return false }
        let trial = "assay-\(getpid())"
        defer { try? TestProgram.run(ip, ["netns", "del", trial]) }
        return (try? TestProgram.run(ip, ["netns", "add", trial])) != nil
    }()

    let name: String
    private let interface: String
    /// Of the database, as the daemon sees it. Of 198.18.0.0/15, which is for tests of networks (RFC 2544).
    let databaseAddress: String

    /// - Parameters:
    ///   - network: the third byte of the addresses of all namespaces of a test.
    ///   - number: of the namespace, from 0 to 62.
    init(network: UInt8, number: Int) throws {
        name = "assay-\(getpid())-\(number)"
        interface = "as\(getpid())-\(number)"
        let first = 4 * number + 1
        databaseAddress = Self.databaseAddress(network: network, number: number)
        try Self.run("netns add \(name)")
        try Self.run("link add \(interface) type veth peer name uplink netns \(name)")
        try Self.run("address add \(databaseAddress)/30 dev \(interface)")
        try Self.run("link set \(interface) up")
        try Self.run("-n \(name) address add 198.18.\(network).\(first + 1)/30 dev uplink")
        try Self.run("-n \(name) link set lo up")
        try Self.run("-n \(name) link set uplink up")
    }

    /// The third byte of addresses that no test of this machine has, nor has left.
    static func freeNetwork() throws -> UInt8 {
        for network in (0...UInt8.max).shuffled() {
            guard MachineClaim.take("network-\(network)") else { continue }
            if !isUsed(network) { return network }
        }
        throw PostgresServer.Failure(description: "no free network below 198.18.0.0/16")
    }

    /// Whether an interface has an address of it, such as one of a test whose end nothing could clean up after.
    private static func isUsed(_ network: UInt8) -> Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0, let list else { return true }
        defer { freeifaddrs(list) }
        return sequence(first: list) { $0.pointee.ifa_next }.contains { entry in
            guard let address = entry.pointee.ifa_addr, address.pointee.sa_family == AF_INET else { return false }
            let value = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            return value >> 8 == 0xC6_12_00 | UInt32(network)
        }
    }

    static func databaseAddress(network: UInt8, number: Int) -> String { "198.18.\(network).\(4 * number + 1)" }

    /// The words before a command that runs it in the namespace.
    var prefix: [String] { [Self.ip, "netns", "exec", name] }
    /// The shell's command that removes it.
    var removal: String { "\(Self.ip) netns del \(name)" }

    /// Drops what the daemon and the database send each other, without telling them: the queues of both interfaces hold no packet.
    func cut() throws {
        try Self.run("-n \(name) qdisc replace dev uplink root bfifo limit 1", Self.tc)
        try Self.run("qdisc replace dev \(interface) root bfifo limit 1", Self.tc)
    }

    func join() throws {
        try Self.run("-n \(name) qdisc del dev uplink root", Self.tc)
        try Self.run("qdisc del dev \(interface) root", Self.tc)
    }

    func remove() { try? Self.run("netns del \(name)") }

    private static func run(_ words: String, _ program: String = ip) throws {
        try TestProgram.run(program, words.split(separator: " ").map(String.init))
    }
}
