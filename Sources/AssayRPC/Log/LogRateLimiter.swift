package import Logging
import Synchronization

/// Limits the lines of each kind in a period, and counts the lines that it holds back, so that a flood cannot fill the disk with
/// one sentence. Each source of lines has its own share, so a source that floods the log does not hide another one.
package final class LogRateLimiter: Sendable {
    /// Kinds that are remembered. While as many periods run, lines of further kinds are held back.
    package static let kindLimit = 256
    /// Lines of one kind in a period, of all sources.
    package static let lineLimit = 20

    private struct Window {
        let end: ContinuousClock.Instant
        var lines = 0
        /// Lines let through, by source.
        var bySource: [PeerIdentity?: Int] = [:]
        var heldBack: UInt64 = 0
    }

    private let period: Duration
    private let linesOfOneSource: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let windows = Mutex<[String: Window]>([:])

    /// - Parameters:
    ///   - period: begins with the first line of a kind.
    ///   - linesOfOneSource: lines of one kind and one source in a period.
    package init(
        period: Duration = .seconds(10), linesOfOneSource: Int = 1,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        (self.period, self.linesOfOneSource, self.now) = (period, linesOfOneSource, now)
    }

    /// The number of lines of this kind that were held back since the last one, of any source; nil: this one is held back too.
    package func pass(_ kind: String, from source: PeerIdentity? = nil) -> UInt64? {
        let now = now()
        return windows.withLock { windows in
            guard windows[kind] != nil || makePlace(in: &windows, now) else { return nil }
            var window = windows[kind] ?? Window(end: now.advanced(by: period))
            if now >= window.end { window = Window(end: now.advanced(by: period), heldBack: window.heldBack) }
            defer { windows[kind] = window }
            guard window.lines < Self.lineLimit, window.bySource[source, default: 0] < linesOfOneSource else {
                window.heldBack += 1
                return nil
            }
            window.lines += 1
            window.bySource[source, default: 0] += 1
            defer { window.heldBack = 0 }
            return window.heldBack
        }
    }

    /// Forgets kinds whose period is over, if there are as many as may be. False: all periods still run.
    private func makePlace(in windows: inout [String: Window], _ now: ContinuousClock.Instant) -> Bool {
        guard windows.count >= Self.kindLimit else { return true }
        windows = windows.filter { now < $0.value.end }
        return windows.count < Self.kindLimit
    }
}

/// Log lines about single peers: limited for each caller, so that a peer can neither fill the disk nor hide another one. What is
/// held back is still counted in the statistics.
package final class PeerLog: Sendable {
    /// Characters of a peer's description that are logged: a certificate may have many names.
    private static let descriptionLimit = 300

    package let logger: Logger
    private let limiter = LogRateLimiter()

    package init(_ logger: Logger) { self.logger = logger }

    /// Warns of a refused call or an ended connection.
    package func warn(
        _ what: String, because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity, _ detail: String = ""
    ) {
        guard let heldBack = limiter.pass("\(what) \(reason)", from: caller) else { return }
        var fields = Self.fields(of: peer.description, reason)
        if case .caller(let name) = caller { fields["caller"] = "\(name)" }
        if !detail.isEmpty { fields["detail"] = "\(detail)" }
        if heldBack > 0 { fields["held_back"] = "\(heldBack)" }
        logger.warning("\(what)", metadata: fields)
    }

    package static func fields(of peer: String, _ reason: String) -> Logger.Metadata {
        ["peer": "\(peer.prefix(descriptionLimit))", "reason": "\(reason)"]
    }
}
