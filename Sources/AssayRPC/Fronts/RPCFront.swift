#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One way into a daemon, of one protocol: listens, turns what peers send into calls of the service, and sends their answers.
///
/// A front authenticates its peers and bounds its own connections. For each connection it has a ``CallDispatcher`` and the sessions of its
/// callers (``RPCSessions``), and three tasks: bytes in (which calls they are, and which of them are cancelled), bytes out (its
/// ``CallDestination`` takes the answers, and it says when they are with the socket), and the end.
package protocol RPCFront: Sendable {
    /// Listens and serves until ``stop()``. Returns its addresses, with the ports that the kernel chose; a second call returns them
    /// again.
    ///
    /// - Throws: ``RPCBindError`` for the first address that cannot be listened at; then the front listens at none.
    @discardableResult
    func start(serving service: RPCService) async throws -> [RPCAddress]

    /// Stops gracefully: begins no more calls, finishes those in flight within a bounded time, and closes all connections.
    /// Idempotent; only the first caller waits.
    func stop() async

    /// The counts of connections and bytes; those of calls are zero.
    var statistics: RPCStatistics { get }
}

/// The service behind the fronts: methods, access, and the bounds that the calls of all fronts share.
package struct RPCService: Sendable {
    package let methods: [RPCMethod]
    package let access: RPCAccess
    package let state: ServingState
    /// Why calls in flight may get no answer in time, such as a store that does not answer; `nil`: nothing is late. A front asks shortly
    /// before a call's deadline, and answers the call by it while its client still listens.
    package let lateness: @Sendable () -> RPCError?
    /// Finds the methods, for all connections of all fronts.
    let table: MethodTable

    /// - Parameter methods: of two with one path the first is served.
    package init(
        methods: [RPCMethod], access: RPCAccess = .open, state: ServingState,
        lateness: @escaping @Sendable () -> RPCError? = { nil }
    ) {
        (self.methods, self.access, self.state, self.lateness) = (methods, access, state, lateness)
        table = MethodTable(methods)
    }

    /// The same with further methods, which one front alone serves.
    package func adding(_ others: [RPCMethod]) -> RPCService {
        RPCService(methods: methods + others, access: access, state: state, lateness: lateness)
    }

    /// How long before its deadline a call is answered by ``lateness``: a tenth of its timeout, at most 100 ms.
    static func margin(of timeout: Duration) -> Duration {
        // Dividing a duration is dear, and most have more than a second.
        timeout >= .seconds(1) ? .milliseconds(100) : timeout / 10
    }
}

/// Why a server cannot listen at an address.
package struct RPCBindError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Error, Hashable, Sendable {
        /// Another server listens there.
        case inUse
        case permissionDenied
        /// A Unix socket's path has at most 107 bytes.
        case pathTooLong
        /// The file at the socket's path is not a socket; it is left alone.
        case notASocket
        /// Anything else that the system says, such as a host that cannot be resolved or a directory that does not exist.
        case unavailable(String)
    }

    package let address: RPCAddress
    package let problem: Problem

    package init(_ address: RPCAddress, _ problem: Problem) { (self.address, self.problem) = (address, problem) }

    package var description: String {
        switch problem {
        case .inUse: "cannot listen at \(address): somebody listens there"
        case .permissionDenied: "cannot listen at \(address): permission denied"
        case .pathTooLong: "cannot listen at \(address): the path is longer than 107 bytes"
        case .notASocket: "cannot listen at \(address): a file that is not a socket stands there"
        case .unavailable(let why): "cannot listen at \(address): \(why)"
        }
    }
}

extension RPCBindError.Problem {
    /// - Parameters:
    ///   - errno: the error number of the system call.
    ///   - description: the system's text, kept for numbers without a case of their own.
    package init(errno: Int32, _ description: String) {
        switch errno {
        case EADDRINUSE: self = .inUse
        case EACCES, EPERM: self = .permissionDenied
        default: self = .unavailable(description)
        }
    }
}
