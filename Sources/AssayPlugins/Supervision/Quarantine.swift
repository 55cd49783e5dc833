package import AssayCore
import Logging
import Synchronization

/// The evidence that ended processes of plugins.
///
/// Evidence in flight at a death becomes a suspect, which is judged alone when it comes again. If that ends a process too, it is proven: it is
/// refused by its digest, and its body kept for the plugin's author.
package final class Quarantine: Sendable {
    /// Digests that are refused, and suspects: of each.
    package static let digestLimit = 1000
    /// Bytes of all bodies that are kept.
    package static let bodyLimit = 16 << 20
    /// How long evidence is refused, and suspected, in milliseconds: 24 h.
    package static let lifetime: Int64 = 86_400_000

    /// Evidence that is refused.
    package struct Evidence: Hashable, Sendable {
        /// SHA-256 of entry, format and body.
        package let digest: [UInt8]
        /// The id of the catalog's entry.
        package let plugin: String
        package let app: AppID
        package let format: EvidenceFormat
        /// When the second process ended over it.
        package let since: Timestamp
        /// How the process ended.
        package let end: String
        /// Of the body, in bytes.
        package let size: Int
        /// Whether the body is kept.
        package let hasBody: Bool
    }

    enum Standing: Hashable, Sendable { case unknown, suspect, refused }

    private struct State {
        var suspects: [[UInt8]: Timestamp] = [:]
        /// Suspects, the oldest first. Those that were cleared stay until they are the oldest.
        var order: [[UInt8]] = []
        var refused: [[UInt8]: Evidence] = [:]
        var bodyBytes: Int { refused.values.reduce(0) { $0 + ($1.hasBody ? $1.size : 0) } }
    }

    private let folder: QuarantineFolder
    private let clock: any WallClock
    private let logger: Logger
    private let state = Mutex(State())

    /// Reads what a daemon before this one kept.
    init(folder: String, clock: any WallClock, logger: Logger) {
        (self.folder, self.clock, self.logger) = (QuarantineFolder(folder), clock, logger)
        let now = clock.now()
        for evidence in self.folder.read(logger) {
            if Self.isOver(evidence.since, at: now) || state.withLock({ $0.refused.count >= Self.digestLimit }) {
                self.folder.remove(evidence.digest)
            } else {
                state.withLock { $0.refused[evidence.digest] = evidence }
            }
        }
    }

    private static func isOver(_ since: Timestamp, at now: Timestamp) -> Bool {
        now.milliseconds(since: since) >= lifetime
    }

    /// How many pieces of evidence of a catalog's entry are refused now. Does no I/O.
    func count(of id: String) -> Int {
        let now = clock.now()
        return state.withLock { $0.refused.values.count { $0.plugin == id && !Self.isOver($0.since, at: now) } }
    }

    /// The newest first.
    ///
    /// - Parameter id: of a catalog's entry; `nil`: of all.
    package func list(of id: String? = nil) -> [Evidence] {
        forget()
        return state.withLock { state in
            state.refused.values.filter { id == nil || $0.plugin == id }.sorted {
                ($1.since, $0.plugin) < ($0.since, $1.plugin)
            }
        }
    }

    /// One piece of evidence with its body; the body is empty if it is not kept. `nil` for a digest that is not refused.
    package func read(_ digest: [UInt8]) -> (evidence: Evidence, body: [UInt8])? {
        guard let evidence = state.withLock({ $0.refused[digest] }) else { return nil }
        return (evidence, evidence.hasBody ? folder.body(of: digest) ?? [] : [])
    }

    /// Lets the plugin judge evidence again. False: it is not refused.
    package func release(_ digest: [UInt8]) -> Bool {
        let was = state.withLock { state in
            state.suspects[digest] = nil
            return state.refused.removeValue(forKey: digest) != nil
        }
        if was { folder.remove(digest) }
        return was
    }

    // MARK: Suspects

    /// Whether any evidence is suspected or refused: if not, no digest needs to be made.
    var isEmpty: Bool { state.withLock { $0.suspects.isEmpty && $0.refused.isEmpty } }

    func standing(_ digest: [UInt8]) -> Standing {
        let now = clock.now()
        return state.withLock { state in
            if let evidence = state.refused[digest], !Self.isOver(evidence.since, at: now) { return .refused }
            if let since = state.suspects[digest], !Self.isOver(since, at: now) { return .suspect }
            return .unknown
        }
    }

    func suspect(_ digests: [[UInt8]]) {
        let now = clock.now()
        state.withLock { state in
            for digest in digests where state.refused[digest] == nil {
                if state.suspects.updateValue(now, forKey: digest) == nil { state.order.append(digest) }
            }
            while state.suspects.count > Self.digestLimit || state.order.count > 2 * Self.digestLimit {
                state.suspects[state.order.removeFirst()] = nil
            }
        }
    }

    /// The evidence was judged alone, and the process lives.
    func clear(_ digest: [UInt8]) {
        state.withLock { state in
            guard state.suspects.removeValue(forKey: digest) != nil else { return }
            state.order.removeAll { $0 == digest }
        }
    }

    /// The evidence ended a process alone: it is refused from now on.
    func prove(_ suspicion: Suspicion, end: String) {
        forget()
        clear(suspicion.digest)
        let (size, digest) = (suspicion.body.count, suspicion.digest)
        let oldest = state.withLock { state -> [UInt8]? in
            guard state.refused.count >= Self.digestLimit else { return nil }
            let oldest = state.refused.values.min { $0.since < $1.since }?.digest
            if let oldest { state.refused[oldest] = nil }
            return oldest
        }
        if let oldest { folder.remove(oldest) }
        func evidence(_ hasBody: Bool) -> Evidence {
            Evidence(
                digest: digest, plugin: suspicion.id, app: suspicion.app, format: suspicion.format, since: clock.now(),
                end: end,
                size: size, hasBody: hasBody)
        }
        // Refused first: what is written takes its time.
        let fits = state.withLock { state in
            let fits = state.bodyBytes + size <= Self.bodyLimit
            state.refused[digest] = evidence(fits)
            return fits
        }
        do throws(QuarantineFolderError) { try folder.write(evidence(fits), fits ? suspicion.body : []) } catch {
            state.withLock { $0.refused[digest] = evidence(false) }
            logger.error("evidence in quarantine cannot be kept: \(error.description)", metadata: ["plugin": "\(suspicion.id)"])
        }
    }

    /// Removes what is over.
    private func forget() {
        let now = clock.now()
        let over = state.withLock { state -> [[UInt8]] in
            let over = state.refused.values.filter { Self.isOver($0.since, at: now) }.map(\.digest)
            for digest in over { state.refused[digest] = nil }
            return over
        }
        for digest in over { folder.remove(digest) }
    }
}
