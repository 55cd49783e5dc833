package import AssayRPC
import Synchronization

/// The connections of a listening server for which it has a bounded number of places.
///
/// A new connection beyond the limit ends another one: of the origin that has most connections the oldest of those that have got least far. An honest
/// handshake and an honest request take milliseconds, so a connection that has stayed behind is one that its peer does not go on with; and
/// an origin that opens many loses its own, so that those of others are kept. If the newest were refused instead, or the oldest of all ended, such
/// an origin would keep all others out.
package final class ConnectionPlaces: Sendable {
    /// How far a connection has got.
    package enum Stage: Int, Comparable, Sendable {
        /// The handshake has not ended.
        case handshake
        /// No request has come yet.
        case silent
        case requested

        package static func < (one: Stage, other: Stage) -> Bool { one.rawValue < other.rawValue }
    }

    /// The number of a connection. Numbers ascend in the order of the beginnings.
    package typealias Number = UInt64

    private struct Place {
        let origin: ConnectionOrigin
        var stage: Stage
        let giveWay: @Sendable () -> Void
    }

    private struct State {
        var places: [Number: Place] = [:]
        var byOrigin: [ConnectionOrigin: Int] = [:]
        var next: Number = 0

        mutating func remove(_ number: Number) -> Place? {
            guard let place = places.removeValue(forKey: number) else { return nil }
            let rest = byOrigin[place.origin, default: 1] - 1
            byOrigin[place.origin] = rest > 0 ? rest : nil
            return place
        }

        /// The connection that gives way to `newcomer`. A search takes place only beyond the limit, and each one ends a connection.
        func displaced(by newcomer: Number) -> Number? {
            var best: (number: Number, place: Place, count: Int)?
            for (number, place) in places where number != newcomer {
                let count = byOrigin[place.origin, default: 0]
                if let best {
                    guard count >= best.count else { continue }
                    guard count > best.count || (place.stage, number) < (best.place.stage, best.number) else { continue }
                }
                best = (number, place, count)
            }
            return best?.number
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int) { self.limit = limit }

    package var count: Int { state.withLock { $0.places.count } }

    /// Takes a place.
    ///
    /// - Parameter giveWay: ends the connection. Called from any thread, possibly after it has ended.
    package func enter(
        from origin: ConnectionOrigin, at stage: Stage, giveWay: @escaping @Sendable () -> Void
    ) -> Number {
        let (number, displaced) = state.withLock { state -> (Number, (@Sendable () -> Void)?) in
            let number = state.next
            state.next += 1
            state.places[number] = Place(origin: origin, stage: stage, giveWay: giveWay)
            state.byOrigin[origin, default: 0] += 1
            guard state.places.count > limit, let other = state.displaced(by: number) else { return (number, nil) }
            return (number, state.remove(other)?.giveWay)
        }
        displaced?()
        return number
    }

    /// Ends one connection in favour of another that has a place, or of one that is kept elsewhere. False: there is none to end.
    package func makeRoom(for newcomer: Number?) -> Bool {
        let displaced = state.withLock { state in
            state.displaced(by: newcomer ?? .max).flatMap { state.remove($0)?.giveWay }
        }
        displaced?()
        return displaced != nil
    }

    /// Notes how far a connection has got. It does not go back.
    package func advance(_ number: Number, to stage: Stage) {
        state.withLock { state in
            guard let place = state.places[number], place.stage < stage else { return }
            state.places[number]?.stage = stage
        }
    }

    /// Gives the place back. Idempotent.
    package func leave(_ number: Number) { state.withLock { _ = $0.remove(number) } }
}
