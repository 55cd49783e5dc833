/// One way into a daemon, of one protocol: listens, turns what peers send into calls of the service, and sends their answers.
///
/// A front authenticates its peers and bounds its own connections. For each connection it makes a ``CallDispatcher``, which finds
/// the method, asks whether the peer may call it, admits the call within the bounds that all fronts share, and starts the handler;
/// the front's ``CallDestination`` takes the answers.
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

/// What fronts serve: methods, who may call them, and the bounds that the calls of all fronts share.
package struct RPCService: Sendable {
    package let methods: [RPCMethod]
    package let access: RPCAccess
    package let state: ServingState

    /// - Parameter methods: of two with one path the first is served.
    package init(methods: [RPCMethod], access: RPCAccess = .open, state: ServingState) {
        (self.methods, self.access, self.state) = (methods, access, state)
    }
}
