import NIOCore
import Synchronization

/// The frames of a server that have only partly arrived, as far as they are held, and who has been at one for the longest.
///
/// Together they may hold half of the bytes that the daemon holds, so that there is room for whole calls however many frames
/// never end. Whoever needs more takes the place of the oldest. An honest frame is whole within milliseconds; the oldest of a crowd
/// is one that somebody began in order not to end it. Were the newcomer sent away instead, that crowd would keep everybody out.
final class PartialFrames: Sendable {
    private struct Frame {
        let bytes: Int
        let since: NIODeadline
        let giveWay: @Sendable () -> Void
    }

    private struct State {
        var frames: [ObjectIdentifier: Frame] = [:]
        var bytes = 0

        mutating func remove(_ connection: ObjectIdentifier) -> Frame? {
            guard let frame = frames.removeValue(forKey: connection) else { return nil }
            bytes -= frame.bytes
            return frame
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    init(_ limits: RPCLimits) { limit = limits.maxHeldBytesTotal / 2 }

    /// Notes how much of a frame a connection holds, in place of what it held before.
    ///
    /// - Parameter giveWay: ends the connection when others need the place. Called from any thread, and maybe when the frame is
    ///   whole.
    func note(
        _ connection: ObjectIdentifier, bytes: Int, since: NIODeadline, giveWay: @escaping @Sendable () -> Void
    ) {
        let displaced = state.withLock { state in
            _ = state.remove(connection)
            state.frames[connection] = Frame(bytes: bytes, since: since, giveWay: giveWay)
            state.bytes += bytes
            var displaced: [@Sendable () -> Void] = []
            // Looked for only when there is no room, and then one connection ends for each look.
            while state.bytes > limit, let oldest = state.frames.min(by: { $0.value.since < $1.value.since })?.key {
                if let frame = state.remove(oldest) { displaced.append(frame.giveWay) }
            }
            return displaced
        }
        for giveWay in displaced { giveWay() }
    }

    func forget(_ connection: ObjectIdentifier) { state.withLock { _ = $0.remove(connection) } }
}
