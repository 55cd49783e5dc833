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
