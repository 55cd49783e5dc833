package import NIOCore
import Synchronization

/// Bounds the bytes of one kind that a server holds until peers act: frames that have arrived in part, or answers that are not
/// read.
///
/// A connection that needs more than is left ends the one that has held bytes for the longest time. An honest frame is complete
/// within milliseconds, and an honest peer reads; when the limit is reached, the oldest peer does neither. If the newest were
/// refused instead, such peers would keep all others out.
package final class HeldBytesLimiter: Sendable {
    private struct Place {
        let bytes: Int
        let since: NIODeadline
        let giveWay: @Sendable () -> Void
    }

    private struct State {
        var places: [ObjectIdentifier: Place] = [:]
        var bytes = 0

        mutating func remove(_ connection: ObjectIdentifier) -> Place? {
            guard let place = places.removeValue(forKey: connection) else { return nil }
            bytes -= place.bytes
            return place
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the bytes that all connections may hold together.
    package init(limit: Int) { self.limit = limit }

    /// Sets the bytes that are held for a connection.
    ///
    /// - Parameter giveWay: ends the connection in favour of others. Called from any thread, possibly when nothing is held for the
    ///   connection any more.
    package func note(
        _ connection: ObjectIdentifier, bytes: Int, since: NIODeadline, giveWay: @escaping @Sendable () -> Void
    ) {
        let displaced = state.withLock { state in
            _ = state.remove(connection)
            state.places[connection] = Place(bytes: bytes, since: since, giveWay: giveWay)
            state.bytes += bytes
            var displaced: [@Sendable () -> Void] = []
            // A search takes place only beyond the limit, and each one ends a connection.
            while state.bytes > limit, let oldest = state.places.min(by: { $0.value.since < $1.value.since })?.key {
                if let place = state.remove(oldest) { displaced.append(place.giveWay) }
            }
            return displaced
        }
        for giveWay in displaced { giveWay() }
    }

    package func forget(_ connection: ObjectIdentifier) { state.withLock { _ = $0.remove(connection) } }
}
