import AssayDaemon
import AssayRPC

/// Where the daemon of `assayd dev` listens on loopback.
struct DevPorts {
    static let host = "127.0.0.1"
    /// The first is the one that `assay` calls where no address is given.
    static let usual = DevPorts(framed: 7421, http: 7422)
    /// Chosen by the system.
    static let free = DevPorts(framed: 0, http: 0)

    let framed: Int
    let http: Int

    init(framed: Int, http: Int) { (self.framed, self.http) = (framed, http) }

    /// The ports of `--port`.
    init(from port: UInt16) { self = port == 0 ? .free : DevPorts(framed: Int(port), http: Int(port) + 1) }

    /// - Parameter addresses: what a server of ``DevFolder``'s configuration told when it started: those of the framed protocol first.
    init(_ addresses: [RPCAddress]) throws(StartupError) {
        guard addresses.count == 2, case .tcp(_, let framed) = addresses[0], case .tcp(_, let http) = addresses[1] else {
            throw StartupError("the daemon listens elsewhere than asked: \(addresses)")
        }
        self.init(framed: framed, http: http)
    }

    /// For `assay --server`.
    var server: String { "\(Self.host):\(framed)" }
    var url: String { "http://\(Self.host):\(http)" }
}
