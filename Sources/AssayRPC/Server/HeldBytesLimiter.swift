import NIOCore
import Synchronization

/// Bytes of one kind that a server holds for connections until their peers do something, and who has been waited for the
/// longest: frames that have only partly arrived, and answers that nobody reads.
///
/// Whoever needs more than is left takes the place of the oldest. An honest frame is whole within milliseconds, and an honest peer
/// reads; the oldest of a crowd is one that somebody began in order not to end it. Were the newcomer sent away instead, that
/// crowd would keep everybody out.
final class HeldBytesLimiter: Sendable {
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
    init(limit: Int) { self.limit = limit }

    /// Notes how much is held for a connection, in place of what was before.
    ///
    /// - Parameter giveWay: ends the connection when others need its place. Called from any thread, and maybe when nothing is
    ///   held for it any more.
    func note(
        _ connection: ObjectIdentifier, bytes: Int, since: NIODeadline, giveWay: @escaping @Sendable () -> Void
    ) {
        let displaced = state.withLock { state in
            _ = state.remove(connection)
            state.places[connection] = Place(bytes: bytes, since: since, giveWay: giveWay)
            state.bytes += bytes
            var displaced: [@Sendable () -> Void] = []
            // Looked for only when there is no room, and then one connection ends for each look.
            while state.bytes > limit, let oldest = state.places.min(by: { $0.value.since < $1.value.since })?.key {
                if let place = state.remove(oldest) { displaced.append(place.giveWay) }
            }
            return displaced
        }
        for giveWay in displaced { giveWay() }
    }

    func forget(_ connection: ObjectIdentifier) { state.withLock { _ = $0.remove(connection) } }
}
