import AssayRPC
import Synchronization

/// The server's statistics for a service that is made before the server is.
final class Transport: Sendable {
    private let state = Mutex<RPCServer?>(nil)

    var server: RPCServer? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    var statistics: RPCStatistics { server?.statistics ?? RPCStatistics() }
}
